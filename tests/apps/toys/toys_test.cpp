#include "apps/toys/toys.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

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

TEST_CASE("below() stays below its bound, and all numbers are equally likely", "[toys]") {
  Random random(1);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) CHECK(std::abs(count - 10000) < 500);  // five standard deviations
  // With this bound, a plain remainder would return the lowest third half of the time.
  const std::uint64_t bound = 3u * (std::uint64_t{1} << 62);
  int low = 0;
  for (int i = 0; i < 10000; ++i) low += random.below(bound) < bound / 3 ? 1 : 0;
  CHECK(low < 3600);
  CHECK(low > 3060);
}

TEST_CASE("a toy corpus has its sizes, no source twice, and the same bytes for the same seed", "[toys]") {
  const CorpusSizes sizes{1500, 200, 300};
  REQUIRE(all_toys().size() == 5);
  for (const Toy& toy : all_toys()) {
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
  for (const Toy& toy : all_toys()) {
    INFO(toy.name);
    std::vector<SentencePair> pairs;
    for (const std::uint64_t seed : {1, 2}) {
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
    CHECK(sources.size() < pairs.size());  // otherwise the test would check nothing
  }
}

TEST_CASE("the three parts of a corpus have the same distribution", "[toys]") {
  // All numbers below 1000 are used up while others are drawn. They are 1000 of 21000, so 24 of 500.
  int small = 0;
  for (const SentencePair& pair : generate("numbers", 1).test)
    small += contains(pair.source, "thousand") ? 0 : 1;
  CHECK(small > 8);
  CHECK(small < 48);
}

TEST_CASE("copy repeats the source, reverse turns it round", "[toys]") {
  std::set<std::size_t> lengths;
  for (const SentencePair& pair : generate("copy", 1).train) {
    CHECK(pair.source == pair.target);
    lengths.insert(pair.source.size() / 2 + 1);
  }
  CHECK(lengths == std::set<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (const SentencePair& pair : generate("reverse", 1).train) {
    CHECK(pair.target == std::string(pair.source.rbegin(), pair.source.rend()));
  }
  CHECK(find_toy("copy").distinct_sources == 99246114928149462u);  // (26¹³ - 26) / 25
}

TEST_CASE("an unknown toy and impossible sizes are refused", "[toys]") {
  CHECK_ERROR(generate("date", 1),
              "no toy corpus \"date\"; choose one of copy, reverse, dates, numbers, sentences");
  CHECK_ERROR(find_toy(""), "choose one of");
  CHECK_ERROR(find_toy("Copy").distinct_sources, "\"Copy\"");

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
