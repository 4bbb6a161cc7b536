#include "apps/toys/toys.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "apps/toys/dates.h"
#include "apps/toys/numbers.h"
#include "apps/toys/random.h"
#include "tests/apps/support.h"

namespace {

using namespace regard::toys;
using regard::tests::contains;
using regard::tests::content;
using regard::tests::TemporaryDirectory;

bool is_clean(const std::string& line) {
  return !line.empty() && line.front() != ' ' && line.back() != ' ' && !contains(line, "  ") &&
         line.find_first_of("\t\n\r") == std::string::npos;
}

}  // namespace

TEST_CASE("SplitMix64 gives the published sequence", "[toys]") {
  Random random(1234567);
  CHECK(random.next() == 6457827717110365317u);
  CHECK(random.next() == 3203168211198807973u);
  CHECK(random.next() == 9817491932198370423u);
  CHECK(random.next() == 4593380528125082431u);
  CHECK(random.next() == 16408922859458223821u);
}

TEST_CASE("below() stays below and favours nobody", "[toys]") {
  Random random(1);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) CHECK(std::abs(count - 10000) < 500);  // five standard deviations
  // Of this bound, a plain remainder would return the lower half twice as often as the upper half.
  const std::uint64_t bound = 3u * (std::uint64_t{1} << 62);
  int low = 0;
  for (int i = 0; i < 10000; ++i) low += random.below(bound) < bound / 3 ? 1 : 0;
  CHECK(low < 3600);
  CHECK(low > 3060);
}

TEST_CASE("a toy corpus has its sizes, no source twice, and the same bytes for the same seed", "[toys]") {
  const CorpusSizes sizes{1500, 200, 300};
  REQUIRE(all_toys().size() == 5);
  for (const ToyDescription& toy : all_toys()) {
    INFO(toy.name);
    const Corpus corpus = generate(toy.name, 1, sizes);
    CHECK(corpus.train.size() == 1500);
    CHECK(corpus.validation.size() == 200);
    CHECK(corpus.test.size() == 300);

    std::set<std::string> sources;
    bool clean = true;
    for (const auto* part : {&corpus.train, &corpus.validation, &corpus.test}) {
      for (const SentencePair& pair : *part) {
        sources.insert(pair.source);
        clean = clean && is_clean(pair.source) && is_clean(pair.target);
      }
    }
    CHECK(sources.size() == 2000);
    CHECK(clean);

    const Corpus again = generate(toy.name, 1, sizes);
    CHECK(again.train == corpus.train);
    CHECK(again.validation == corpus.validation);
    CHECK(again.test == corpus.test);
    CHECK_FALSE(generate(toy.name, 2, sizes).train == corpus.train);

    CHECK((toy.tokeniser == "word" || toy.tokeniser == "char"));
    CHECK_FALSE(toy.summary.empty());
    CHECK(generate(toy.name, 3).train.size() == toy.sizes.train);
  }
}

TEST_CASE("the same source always has the same target", "[toys]") {
  for (const ToyDescription& toy : all_toys()) {
    INFO(toy.name);
    std::vector<SentencePair> pairs;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Corpus corpus = generate(toy.name, seed);
      pairs.insert(pairs.end(), corpus.train.begin(), corpus.train.end());
    }
    std::set<std::string> sources;
    std::set<std::pair<std::string, std::string>> both;
    for (const SentencePair& pair : pairs) {
      sources.insert(pair.source);
      both.insert({pair.source, pair.target});
    }
    CHECK(sources.size() == both.size());
    CHECK(sources.size() < pairs.size());  // else there was nothing to see
  }
}

TEST_CASE("copy and reverse do what they say", "[toys]") {
  std::set<std::size_t> lengths;
  for (const SentencePair& pair : generate("copy", 1).train) {
    CHECK(pair.source == pair.target);
    lengths.insert(pair.source.size() / 2 + 1);
  }
  CHECK(lengths == std::set<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (const SentencePair& pair : generate("reverse", 1).train) {
    CHECK(pair.target == std::string(pair.source.rbegin(), pair.source.rend()));
  }
  CHECK(distinct_sources("copy") == 99246114928149462u);  // (26¹³ - 26) / 25
}

TEST_CASE("an unknown toy and sizes that cannot be had are refused", "[toys]") {
  CHECK_ERROR(generate("date", 1),
              "no toy corpus \"date\"; choose one of copy, reverse, dates, numbers, sentences");
  CHECK_ERROR(describe(""), "choose one of");
  CHECK_ERROR(distinct_sources("Copy"), "\"Copy\"");

  CHECK_ERROR(generate("numbers", 1, {999000, 501, 500}), "1000000 different sources");
  const std::size_t huge = std::numeric_limits<std::size_t>::max();
  CHECK_ERROR(generate("dates", 1, {1, huge, huge}), "1168784 different sources");
  CHECK_ERROR(generate("sentences", 1, {3, 10, 10}), "4 fixed pairs");
}

TEST_CASE("a corpus is written to six files, line by line", "[toys]") {
  const TemporaryDirectory directory;
  const Corpus corpus{{{"a b", "b a"}, {"c", "ç"}}, {{"d", "d"}}, {}};
  write(corpus, directory / "new/toy");
  CHECK(content(directory / "new/toy/train.source") == "a b\nc\n");
  CHECK(content(directory / "new/toy/train.target") == "b a\nç\n");
  CHECK(content(directory / "new/toy/validation.source") == "d\n");
  CHECK(content(directory / "new/toy/validation.target") == "d\n");
  CHECK(std::filesystem::exists(directory / "new/toy/test.source"));
  CHECK(content(directory / "new/toy/test.target").empty());
  write({}, directory / "new/toy");  // what stood there is replaced
  CHECK(content(directory / "new/toy/train.source").empty());
}

TEST_CASE("a corpus that cannot be written is an error that names the place", "[toys]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("file", "here first\n");
  CHECK_ERROR(write({}, file), file);
  CHECK_ERROR(write({}, file + "/toy"), file + "/toy");
  CHECK(content(file) == "here first\n");

  std::filesystem::create_directories(directory / "taken/test.target");
  CHECK_ERROR(write({}, directory / "taken"), directory / "taken/test.target");

  if (std::filesystem::exists("/dev/full")) {
    std::filesystem::create_directories(directory / "full");
    std::filesystem::create_symlink("/dev/full", directory / "full/validation.target");
    const Corpus small{{{"a", "a"}}, {{"b", "b"}}, {{"c", "c"}}};
    CHECK_ERROR(write(small, directory / "full"), directory / "full/validation.target");
    CHECK_ERROR(write(small, directory / "full"), "No space left");
  }
}

TEST_CASE("every day from 1900 to 2099 has its weekday", "[toys]") {
  int expected = 1;  // the 1st of January 1900 was a Monday
  int days = 0;
  int wrong = 0;
  for (int year = 1900; year <= 2099; ++year)
    for (int month = 1; month <= 12; ++month)
      for (int day = 1; day <= days_in_month(year, month); ++day) {
        wrong += weekday({year, month, day}) == expected ? 0 : 1;
        expected = (expected + 1) % 7;
        ++days;
      }
  CHECK(wrong == 0);
  CHECK(days == 73049);
  CHECK(distinct_sources("dates") == 73049u * 16u);
  CHECK(weekday({2021, 3, 3}) == 3);
  CHECK(weekday({1969, 7, 20}) == 0);
  CHECK(weekday({2000, 2, 29}) == 2);
  CHECK(days_in_month(1900, 2) == 28);
  CHECK(days_in_month(2000, 2) == 29);
}

TEST_CASE("dates are written as people write them", "[toys]") {
  const std::vector<std::string> expected = {"the 3rd of March 2021",
                                             "3 March 2021",
                                             "3rd March, 2021",
                                             "March 3, 2021",
                                             "March 3rd, 2021",
                                             "March the 3rd, 2021",
                                             "Wednesday, 3 March 2021",
                                             "Wednesday, March 3, 2021",
                                             "Wednesday the 3rd of March, 2021",
                                             "the third of March 2021",
                                             "the 3rd day of March in the year 2021",
                                             "Wed Mar 3 2021",
                                             "Mar 3 2021",
                                             "3-Mar-2021",
                                             "3.3.2021",
                                             "2021/03/03"};
  REQUIRE(date_formats() == expected.size());
  for (std::size_t format = 0; format < expected.size(); ++format) {
    CHECK(english_date({2021, 3, 3}, format) == expected[format]);
  }
  CHECK(iso_date({2021, 3, 3}) == "2021-03-03");
  CHECK(iso_date({1999, 12, 31}) == "1999-12-31");

  const std::vector<std::string> ordinals = {"1st",  "2nd",  "3rd",  "4th",  "5th",  "6th",  "7th",  "8th",
                                             "9th",  "10th", "11th", "12th", "13th", "14th", "15th", "16th",
                                             "17th", "18th", "19th", "20th", "21st", "22nd", "23rd", "24th",
                                             "25th", "26th", "27th", "28th", "29th", "30th", "31st"};
  for (int day = 1; day <= 31; ++day) {
    CHECK(english_date({2024, 1, day}, 0) ==
          "the " + ordinals.at(static_cast<std::size_t>(day - 1)) + " of January 2024");
  }
  CHECK(english_date({1950, 5, 12}, 9) == "the twelfth of May 1950");
  CHECK(english_date({1950, 8, 31}, 9) == "the thirty-first of August 1950");
  CHECK(english_date({2096, 2, 29}, 11) == "Wed Feb 29 2096");
}

TEST_CASE("no text stands for two dates or for two formats", "[toys]") {
  // Every format writes the year in full, so four years (with a leap day) show all that can happen.
  std::set<std::string> texts;
  std::size_t written = 0;
  for (int year = 2021; year <= 2024; ++year)
    for (int month = 1; month <= 12; ++month)
      for (int day = 1; day <= days_in_month(year, month); ++day)
        for (std::size_t format = 0; format < date_formats(); ++format, ++written) {
          texts.insert(english_date({year, month, day}, format));
        }
  CHECK(written == 1461u * 16u);
  CHECK(texts.size() == written);
}

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
