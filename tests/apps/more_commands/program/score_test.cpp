// regard score
#include <cmath>
#include <sstream>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

struct Line {
  double score, log_probability;
  std::size_t tokens;
  std::vector<double> of_tokens;
};

Line parse(const std::string& text) {
  std::istringstream stream(text);
  Line line{};
  stream >> line.score >> line.log_probability >> line.tokens;
  for (double number; stream >> number;) line.of_tokens.push_back(number);
  return line;
}

class Pairs {
 public:
  Pairs(const std::string& sources, const std::string& targets)
      : source_(directory_.file("source", sources)), target_(directory_.file("target", targets)) {}

  Outcome score(Words options = {}) const {
    options.insert(options.begin(), {"score", small_model(), "--source", source_, "--target", target_});
    return run(options);
  }
  std::string operator/(const std::string& file) const { return directory_ / file; }

 private:
  TemporaryDirectory directory_;
  std::string source_, target_;
};

}  // namespace

TEST_CASE("score gives the same scores as translate", "[program]") {
  const std::string source = content(small_corpus().source);
  for (const Words& options : {Words{}, {"--alpha", "1", "--length-penalty", "power"}, {"--threads", "1"}}) {
    const Words command = joined({"translate", small_model(), "--scores"}, options);
    const Words found = lines(run(command, {.input = source}).out);
    std::string targets;
    for (const std::string& line : found) targets += line.substr(line.find('\t') + 1) + "\n";
    const Outcome outcome = Pairs(source, targets).score(options);
    CHECK(outcome.code == 0);
    CHECK(outcome.err.empty());
    const Words scored = lines(outcome.out);
    REQUIRE(scored.size() == found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK(parse(scored[i]).score == Approx(std::stod(found[i])).margin(2e-4));
  }
}

TEST_CASE("a score is the sum of the tokens' log-probabilities, divided by the length penalty", "[program]") {
  const Pairs pairs("one two\none two\nfour\n", "eins zwei\nzwei eins eins\n\n");
  const Outcome outcome = pairs.score({"--tokens"});
  CHECK(outcome.code == 0);
  const Words found = lines(outcome.out);
  REQUIRE(found.size() == 3);
  const std::vector<std::size_t> tokens = {3, 4, 1};  // with </s>; an empty translation has only </s>
  for (std::size_t i = 0; i < 3; ++i) {
    const Line line = parse(found[i]);
    CHECK(line.tokens == tokens[i]);
    REQUIRE(line.of_tokens.size() == tokens[i]);
    double sum = 0;
    for (const double log_probability : line.of_tokens) sum += log_probability;
    CHECK(line.log_probability == Approx(sum).margin(3e-4));
    CHECK(line.score == Approx(sum / std::pow((5 + static_cast<double>(tokens[i])) / 6, 0.6)).margin(3e-4));
  }
  CHECK(parse(found[0]).score > -1);
  CHECK(parse(found[1]).score < -3);
  CHECK(found[0].ends_with("\teins zwei </s>"));  // whose log-probabilities these are
  CHECK(found[2].ends_with("\t</s>"));
  // Without --tokens, the same output without the tokens.
  for (std::size_t i = 0; i < 3; ++i) CHECK(found[i].starts_with(lines(pairs.score().out)[i] + "\t"));
}

TEST_CASE("a line without source has an empty line for its score", "[program]") {
  const Words found = lines(Pairs("one\n\n \ntwo\n", "eins\neins\n\nzwei\n").score().out);
  REQUIRE(found.size() == 4);
  CHECK(found[1].empty());
  CHECK(found[2].empty());
  CHECK(parse(found[3]).tokens == 2);
  CHECK(Pairs("\n", "\n").score().out == "\n");

  // More lines than the program scores at a time.
  std::string sources, targets;
  for (int i = 0; i < 2'100; ++i) {
    sources += i % 3 == 0 ? "\n" : i % 3 == 1 ? "one\n" : "two three\n";
    targets += i % 3 == 1 ? "eins\n" : "zwei drei\n";
  }
  const Words many = lines(Pairs(sources, targets).score().out);
  REQUIRE(many.size() == 2'100);
  for (std::size_t i = 0; i < many.size(); ++i)
    if (i % 3 == 0 ? !many[i].empty() : parse(many[i]).tokens != i % 3 + 1) FAIL("line " << i + 1);
}

TEST_CASE("pairs that cannot be scored are refused, with file and line", "[program]") {
  CHECK_REFUSED(Pairs("one\ntwo\n", "eins\n").score(), "has 2 lines, ");
  CHECK_REFUSED(Pairs("", "").score(), "the file is empty");
  CHECK_REFUSED(Pairs("one\n", "\xFF\n").score(), "target, line 1: not UTF-8");
  CHECK_REFUSED(Pairs("one\n", "eins\n").score({"--alpha", "nan"}),
                "--alpha nan: decoding.alpha must be a number");
  std::string words;
  for (int i = 0; i < 257; ++i) words += "one ";
  const Pairs too_long("one\n" + words + "\n", "eins\neins\n");
  const Outcome outcome = too_long.score();
  CHECK_REFUSED(outcome, too_long / "source" + ", line 2 has 257 tokens, but this model takes at most 256");
  CHECK(outcome.out.empty());
  const Pairs both("one\n" + words + "\ntwo\ntwo\n", "eins\neins\n" + words + "\nzwei\n");
  const Outcome skipped = both.score({"--skip-too-long"});
  CHECK(skipped.code == 0);
  REQUIRE(lines(skipped.out).size() == 4);
  const Words alone = lines(Pairs("one\ntwo\n", "eins\nzwei\n").score().out);
  CHECK(lines(skipped.out) == Words{alone[0], "", "", alone[1]});
  CHECK(skipped.err == "regard: " + both / "source" + ", line 2 is too long; it has no score\nregard: " +
                           both / "target" + ", line 3 is too long; it has no score\n");
  const Outcome unknown = Pairs("one\nfive\n", "eins\nsechs\n").score();
  CHECK(unknown.code == 0);
  CHECK(lines(unknown.err).size() == 2);
  CHECK_CONTAINS(unknown.err, "source, line 2: not in the vocabulary, read as <unk>: five");
  CHECK_CONTAINS(unknown.err, "target, line 2: not in the vocabulary, read as <unk>: sechs");
}
