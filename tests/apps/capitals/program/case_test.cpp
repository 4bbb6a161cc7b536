// data.case from outside: train, translate, evaluate, score.
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// The small corpus in small letters, and once more with a capital first letter and in capitals.
struct CapitalCorpus {
  TemporaryDirectory directory;
  std::string source = directory.file("source", forms(content(small_corpus().source)));
  std::string target = directory.file("target", forms(content(small_corpus().target)));

  static std::string forms(const std::string& text) {
    std::istringstream lines(text);
    std::string result;
    for (std::string line; std::getline(lines, line);) {
      result += line + "\n";
      std::string first = line;
      first[0] = in_capitals(first)[0];
      result += first + "\n" + in_capitals(line) + "\n";
    }
    return result;
  }

  Words command(const std::string& out, const Words& more = {}) const {
    return train_command(
        out, joined({"data.source=" + source, "data.target=" + target, "data.validation_source=" + source,
                     "data.validation_target=" + target, "training.steps=500"},
                    more));
  }
  std::string model(const std::string& name, const Words& more = {}) const {
    const Outcome trained = run(command(directory / name, more));
    if (trained.code != 0) FAIL(trained.err);
    return directory / name;
  }
};

}  // namespace

TEST_CASE("a model with case tokens has one word for all of its forms, and translations have capitals",
          "[program]") {
  const CapitalCorpus corpus;
  const std::string model = corpus.model("model", {"data.case=tokens"});
  const nlohmann::json config = nlohmann::json::parse(content(model + "/config.json"));
  CHECK(config.at("data").at("case") == "tokens");
  const std::string input = "one four\nOne two\nFOUR TWO\nFOUR\n",
                    expected = "eins vier\nEins zwei\nVIER ZWEI\nVIER\n";
  CHECK(run_well({"translate", model}, {.input = input}).out == expected);
  const auto words = [](const std::string& directory) { return content(directory + "/vocabulary.json"); };
  CHECK(words(model).find("FOUR") == std::string::npos);
  // Negative control: without the marks, each form is a word.
  CHECK(words(corpus.model("none", {"training.steps=1"})).find("FOUR") != std::string::npos);

  const TemporaryDirectory& directory = corpus.directory;
  const std::string source = directory.file("s", input), target = directory.file("t", expected);
  const Outcome evaluated = run_well({"evaluate", model, "--source", source, "--reference", target});
  CHECK(has_line(evaluated, "exact match     100.00 %"));
  CHECK(has_line(evaluated, "chrF2           100.00"));
}

TEST_CASE("a score counts the marks as tokens", "[program]") {
  const CapitalCorpus corpus;
  const std::string model = corpus.model("model", {"data.case=tokens", "training.steps=20"});
  const auto tokens = [&](const std::string& target) {
    const Outcome outcome = run_well({"score", model, "--source", corpus.directory.file("s", "one two\n"),
                                      "--target", corpus.directory.file("t", target + "\n")});
    std::istringstream stream(outcome.out);
    double score = 0, log_probability = 0;
    int count = 0;
    stream >> score >> log_probability >> count;
    return count;
  };
  CHECK(tokens("eins zwei") == 3);  // and </s>
  CHECK(tokens("Eins ZWEI") == 5);
}

TEST_CASE("data.case with subwords is resumed and taken over", "[program]") {
  if (subwords().empty()) return;
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  const Words with_case{"data.case=tokens", "training.epochs=1"};
  REQUIRE(train_numbers(model, joined(with_case, {"data.subwords.sampling=0.1"})).code == 0);
  CHECK_CONTAINS(train_numbers(model, joined(with_case, {"data.subwords.sampling=0.1"})).out,
                 "has ended: it reached training.epochs");
  const Outcome tuned = run(with_settings({"train", numbers().config, "--out", directory / "tuned"},
                                          {"training.initial_weights=" + model, "training.epochs=1"}));
  CHECK(tuned.code == 0);
  const std::string config = content(directory / "tuned/config.json");
  CHECK(nlohmann::json::parse(config).at("data").at("case") == "tokens");
  CHECK_REFUSED(run(with_settings({"train", numbers().config, "--out", directory / "other"},
                                  {"training.initial_weights=" + model, "data.case=none"})),
                "data.case is \"tokens\" there and \"none\" here");
  CHECK_REFUSED(train_numbers(directory / "given", {"data.case=tokens", "data.subwords.model=" + subwords()}),
                "has no piece with the mark");
  CHECK_REFUSED(train_numbers(directory / "wrong", {"data.case=upper"}), "data.case");
}
