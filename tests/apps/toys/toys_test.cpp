#include "apps/toys/toys.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "apps/toys/toy.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::toys;

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

TEST_CASE("a toy corpus has its sizes, no source twice, and the same bytes for the same seed", "[toys]") {
  const CorpusSizes sizes{1500, 200, 300};
  REQUIRE(all_toys().size() == 9);
  for (const Toy& toy : all_toys()) {
    INFO(toy.name);
    const Corpus corpus = generate(toy, 1, sizes);
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

    const Corpus again = generate(toy, 1, sizes);
    CHECK(again.train == corpus.train);
    CHECK(again.validation == corpus.validation);
    CHECK(again.test == corpus.test);
    CHECK_FALSE(generate(toy, 2, sizes).train == corpus.train);

    CHECK((toy.tokeniser == "word" || toy.tokeniser == "char"));
    CHECK_FALSE(toy.summary.empty());
  }
}

TEST_CASE("the same source always has the same target", "[toys]") {
  for (const Toy& toy : all_toys()) {
    INFO(toy.name);
    std::vector<SentencePair> pairs;
    for (const std::uint64_t seed : {1, 2}) {
      const Corpus corpus = generate(toy, seed, {8000, 100, 100});
      pairs.insert(pairs.end(), corpus.train.begin(), corpus.train.end());
    }
    std::set<std::string> sources;
    std::set<std::pair<std::string, std::string>> both;
    for (const SentencePair& pair : pairs) {
      sources.insert(pair.source);
      both.insert({pair.source, pair.target});
    }
    CHECK(sources.size() == both.size());
    // Otherwise the test would check nothing. No source of pronouns comes twice; pronouns_test.cpp makes each
    // target from its source.
    if (toy.name != "pronouns") CHECK(sources.size() < pairs.size());
  }
}

TEST_CASE("the three parts of a corpus have the same distribution", "[toys]") {
  // All numbers below 1000 are used up while others are drawn. They are 1000 of 21000, so 24 of 500.
  int small = 0;
  for (const SentencePair& pair : generate(find_toy("numbers"), 1).test)
    small += contains(pair.source, "thousand") ? 0 : 1;
  CHECK(small > 8);
  CHECK(small < 48);
}

TEST_CASE("copy repeats the source, reverse turns it round", "[toys]") {
  std::set<std::size_t> lengths;
  const Toy& copy = find_toy("copy");
  const Corpus corpus = generate(copy, 1);
  CHECK(corpus.train.size() == copy.sizes.train);  // unless others are asked for
  for (const SentencePair& pair : corpus.train) {
    CHECK(pair.source == pair.target);
    lengths.insert(pair.source.size() / 2 + 1);
  }
  CHECK(lengths == std::set<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (const SentencePair& pair : generate(find_toy("reverse"), 1).train) {
    CHECK(pair.target == std::string(pair.source.rbegin(), pair.source.rend()));
  }
  CHECK(find_toy("copy").distinct_sources == 99246114928149462u);  // (26¹³ - 26) / 25
}

TEST_CASE("an unknown toy and impossible sizes are refused", "[toys]") {
  CHECK_ERROR(find_toy("date"),
              "no toy corpus \"date\"; choose one of copy, reverse, sort, recall, brackets, dates, numbers, "
              "sentences, pronouns");
  CHECK_ERROR(find_toy("date", {"scenes"}), "pronouns, scenes");
  CHECK_ERROR(find_toy(""), "choose one of");
  CHECK_ERROR(find_toy("Copy").distinct_sources, "\"Copy\"");

  CHECK_ERROR(generate(find_toy("numbers"), 1, {999000, 501, 500}), "1000000 different sources");
  const std::size_t huge = std::numeric_limits<std::size_t>::max();
  CHECK_ERROR(generate(find_toy("dates"), 1, {1, huge, huge}), "1168784 different sources");
  CHECK_ERROR(generate(find_toy("sentences"), 1, {3, 10, 10}), "4 fixed pairs");
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
  CHECK_ERROR(write({}, directory / "new/toy"), directory / "new/toy/train.source" + " exists");
  CHECK(content(directory / "new/toy/train.source") == "a b\nc\n");
  write({}, directory / "new/toy", Existing::replace);
  CHECK(content(directory / "new/toy/train.source").empty());
}

TEST_CASE("the error of a corpus that cannot be written names the path", "[toys]") {
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

namespace {

std::chrono::sys_days day(int year, unsigned month, unsigned of_month) {
  return std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(of_month);
}

std::string english_date(std::chrono::sys_days date, std::size_t format) {
  return date_pair(date, format).source;
}

}  // namespace

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
  for (std::size_t format = 0; format < expected.size(); ++format) {
    CHECK(english_date(day(2021, 3, 3), format) == expected[format]);
  }
  CHECK(date_pair(day(2021, 3, 3), 0).target == "2021-03-03");
  CHECK(date_pair(day(1999, 12, 31), 15).target == "1999-12-31");

  const std::vector<std::string> ordinals = {"1st",  "2nd",  "3rd",  "4th",  "5th",  "6th",  "7th",  "8th",
                                             "9th",  "10th", "11th", "12th", "13th", "14th", "15th", "16th",
                                             "17th", "18th", "19th", "20th", "21st", "22nd", "23rd", "24th",
                                             "25th", "26th", "27th", "28th", "29th", "30th", "31st"};
  for (unsigned i = 1; i <= 31; ++i) {
    CHECK(english_date(day(2024, 1, i), 0) == "the " + ordinals.at(i - 1) + " of January 2024");
  }
  CHECK(english_date(day(1969, 7, 20), 6) == "Sunday, 20 July 1969");
  CHECK(english_date(day(1950, 5, 12), 9) == "the twelfth of May 1950");
  CHECK(english_date(day(1950, 8, 31), 9) == "the thirty-first of August 1950");
  CHECK(english_date(day(2096, 2, 29), 11) == "Wed Feb 29 2096");
}

TEST_CASE("no text has two dates or two formats", "[toys]") {
  CHECK(find_toy("dates").distinct_sources == 73049u * 16u);
  // Every format writes all digits of the year, so four years (with a leap day) are enough.
  std::set<std::string> texts;
  for (auto each = day(2021, 1, 1); each < day(2025, 1, 1); each += std::chrono::days(1))
    for (std::size_t format = 0; format < 16; ++format) texts.insert(english_date(each, format));
  CHECK(texts.size() == 1461u * 16u);
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
  for (std::uint64_t number = 0; number < 3000; ++number) {
    english.insert(number_pair(number).source);
    german.insert(number_pair(number).target);
  }
  CHECK(english.size() == 3000);
  CHECK(german.size() == 3000);
}
