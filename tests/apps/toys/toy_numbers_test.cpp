#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "apps/toys/toy.h"
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
      {12, "twelve", "zwölf"},
      {16, "sixteen", "sechzehn"},
      {17, "seventeen", "siebzehn"},
      {21, "twenty-one", "einundzwanzig"},
      {30, "thirty", "dreißig"},
      {40, "forty", "vierzig"},
      {61, "sixty-one", "einundsechzig"},
      {99, "ninety-nine", "neunundneunzig"},
      {100, "one hundred", "einhundert"},
      {101, "one hundred and one", "einhunderteins"},
      {121, "one hundred and twenty-one", "einhunderteinundzwanzig"},
      {1000, "one thousand", "eintausend"},
      {1001, "one thousand and one", "eintausendeins"},
      {1100, "one thousand one hundred", "eintausendeinhundert"},
      {1221, "one thousand two hundred and twenty-one", "eintausendzweihunderteinundzwanzig"},
      {11011, "eleven thousand and eleven", "elftausendelf"},
      {60017, "sixty thousand and seventeen", "sechzigtausendsiebzehn"},
      {101101, "one hundred and one thousand one hundred and one", "einhunderteintausendeinhunderteins"},
      {217030, "two hundred and seventeen thousand and thirty", "zweihundertsiebzehntausenddreißig"},
      {999999, "nine hundred and ninety-nine thousand nine hundred and ninety-nine",
       "neunhundertneunundneunzigtausendneunhundertneunundneunzig"},
  };
  for (const Row& row : rows) {
    CHECK(number_pair(row.number).source == row.english);
    CHECK(number_pair(row.number).target == row.german);
  }
  CHECK_ERROR(number_pair(1000000), "number words go up to 999999, and 1000000 is larger");
  CHECK(find_toy("numbers").distinct_sources == 1000000);

  std::set<std::string> english, german;
  for (std::uint64_t number = 0; number < 20000; ++number) {
    english.insert(number_pair(number).source);
    german.insert(number_pair(number).target);
  }
  CHECK(english.size() == 20000);
  CHECK(german.size() == 20000);
}
