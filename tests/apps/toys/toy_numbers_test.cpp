#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "apps/toys/numbers.h"
#include "apps/toys/toys.h"
#include "tests/apps/support.h"

using namespace regard::toys;

TEST_CASE("number words are right in English and in German", "[toys]") {
  struct Row {
    std::uint64_t number;
    const char* english;
    const char* german;
  };
  const std::vector<Row> rows = {
      {0, "zero", "null"},
      {1, "one", "eins"},
      {2, "two", "zwei"},
      {7, "seven", "sieben"},
      {11, "eleven", "elf"},
      {12, "twelve", "zwölf"},
      {13, "thirteen", "dreizehn"},
      {16, "sixteen", "sechzehn"},
      {17, "seventeen", "siebzehn"},
      {18, "eighteen", "achtzehn"},
      {20, "twenty", "zwanzig"},
      {21, "twenty-one", "einundzwanzig"},
      {30, "thirty", "dreißig"},
      {36, "thirty-six", "sechsunddreißig"},
      {40, "forty", "vierzig"},
      {55, "fifty-five", "fünfundfünfzig"},
      {61, "sixty-one", "einundsechzig"},
      {66, "sixty-six", "sechsundsechzig"},
      {77, "seventy-seven", "siebenundsiebzig"},
      {80, "eighty", "achtzig"},
      {99, "ninety-nine", "neunundneunzig"},
      {100, "one hundred", "einhundert"},
      {101, "one hundred and one", "einhunderteins"},
      {111, "one hundred and eleven", "einhundertelf"},
      {116, "one hundred and sixteen", "einhundertsechzehn"},
      {121, "one hundred and twenty-one", "einhunderteinundzwanzig"},
      {201, "two hundred and one", "zweihunderteins"},
      {670, "six hundred and seventy", "sechshundertsiebzig"},
      {1000, "one thousand", "eintausend"},
      {1001, "one thousand and one", "eintausendeins"},
      {1016, "one thousand and sixteen", "eintausendsechzehn"},
      {1100, "one thousand one hundred", "eintausendeinhundert"},
      {1221, "one thousand two hundred and twenty-one", "eintausendzweihunderteinundzwanzig"},
      {7000, "seven thousand", "siebentausend"},
      {11011, "eleven thousand and eleven", "elftausendelf"},
      {21000, "twenty-one thousand", "einundzwanzigtausend"},
      {60017, "sixty thousand and seventeen", "sechzigtausendsiebzehn"},
      {100000, "one hundred thousand", "einhunderttausend"},
      {101000, "one hundred and one thousand", "einhunderteintausend"},
      {101101, "one hundred and one thousand one hundred and one", "einhunderteintausendeinhunderteins"},
      {217030, "two hundred and seventeen thousand and thirty", "zweihundertsiebzehntausenddreißig"},
      {999999, "nine hundred and ninety-nine thousand nine hundred and ninety-nine",
       "neunhundertneunundneunzigtausendneunhundertneunundneunzig"},
  };
  for (const Row& row : rows) {
    CHECK(english_number(row.number) == row.english);
    CHECK(german_number(row.number) == row.german);
  }
  CHECK_ERROR(german_number(1000000), "1000000");
  CHECK_ERROR(english_number(1000000), "999999");
  CHECK(distinct_sources("numbers") == 1000000);

  std::set<std::string> english, german;
  for (std::uint64_t number = 0; number < 20000; ++number) {
    english.insert(english_number(number));
    german.insert(german_number(number));
  }
  CHECK(english.size() == 20000);
  CHECK(german.size() == 20000);
}
