#include "apps/experiments/rules/results.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "apps/experiments/book/book.h"
#include "apps/experiments/measures/measures.h"
#include "apps/experiments/rules/catalogue.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::experiments;

namespace {

Results two_variants(const std::vector<double>& first, const std::vector<double>& second) {
  Results results{.variants = {{"first"}, {"second"}}};
  for (std::size_t i = 0; i < first.size(); ++i) {
    results.variants[0].runs.push_back({to_index(i + 1), {{"bleu", {first[i]}}, {"loss", {first[i], 1, 2}}}});
    results.variants[1].runs.push_back(
        {to_index(i + 1), {{"bleu", {second[i]}}, {"loss", {second[i], 3, 4}}}});
  }
  return results;
}

const char* const small_file = R"({
  "id": "A1", "claim": "First & second differ.", "source": "nobody", "method": "Two lists.",
  "means": "Nothing.",
  "task": {"toy": "copy", "train": 70},
  "settings": ["training.steps=2"],
  "variants": {"first": ["model.d_ff=8"], "second": {"task": {"toy": "reverse"}}},
  "measure": ["bleu", {"right_by_length": {"lengths": [1, 2], "pairs": 3}}, "loss"],
  "needs": ["bleu(first) >= 0"],
  "parts": [
    {"says": "The first is better.", "if": "bleu(first) - bleu(second) >= 1"},
    {"says": "Both are good.", "all": ["bleu(first) >= 5", "bleu(second) >= 1"]}
  ],
  "columns": [{"measurement": "bleu"}],
  "figures": [
    {"measurement": "bleu", "y": "BLEU"},
    {"measurement": "loss", "y": "loss", "x": "step", "at": [1, 10, 100], "logarithmic": "xy"}
  ]
})";

Experiment experiment_of(const std::string& text) {
  return read_experiment(translation::parse_json(text, "mine.json"), "mine.json");
}

Experiment small() { return experiment_of(small_file); }

/// The file with one text replaced.
std::string changed(const std::string& before, const std::string& after) {
  std::string text = small_file;
  const std::size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  return text.replace(at, before.size(), after);
}

}  // namespace

TEST_CASE("a range is the mean, the least and the greatest over the seeds", "[experiments]") {
  const Results results = two_variants({1, 2, 6}, {0, 0, 0});
  const Range range = results.range("first", "bleu");
  CHECK(range.mean == 3);
  CHECK(range.least == 1);
  CHECK(range.most == 6);
  CHECK(results.range("second", "loss", 2).mean == 4);
  CHECK(text(range, 1) == "3.0 (1.0 to 6.0)");
  CHECK(text(results.range("second", "bleu"), 2) == "0.00");
  CHECK_THROWS_AS(results.range("third", "bleu"), Error);
  CHECK_THROWS_AS(results.range("first", "exact"), Error);
  CHECK_THROWS_AS(results.range("first", "loss", 3), Error);
}

TEST_CASE("an experiment is read from its file, and what is wrong in it is named", "[experiments]") {
  const Experiment read = small();
  CHECK(read.seeds == 8);
  CHECK(read.variants[0].settings == std::vector<std::string>{"model.d_ff=8"});
  CHECK(read.variants[0].task.toy == "copy");
  CHECK(read.variants[1].task.toy == "reverse");
  CHECK(read.variants[1].task.train == 70);  // of the task of all
  CHECK(read.variants[1].measure[0].name == "training");
  CHECK(read.variants[1].measure[2].options.at("lengths") == std::vector<double>{1, 2});
  CHECK(read.variants[1].measure[3].name == "loss");
  CHECK(read.figures[1].y_logarithmic);
  const auto refused = [](const std::string& before, const std::string& after, const std::string& message) {
    CAPTURE(after);
    CHECK_THROWS_WITH(experiment_of(changed(before, after)), ContainsSubstring(message));
  };
  refused("\"claim\"", "\"clam\"", "mine.json: \"claim\" is missing");
  refused("\"means\"", "\"meens\"", "mine.json has an unknown \"meens\"; choose one of id, claim");
  refused("\"bleu\", {", "\"blue\", {", "there is no measure \"blue\"; regard experiment --measures");
  refused("\"train\": 70", "\"train\": \"x\"",
          "variant \"first\", task: \"train\" must be a whole number from 64 to 10000000, got \"x\"");
  refused("\"toy\": \"reverse\"", "\"toys\": 1", "variant \"second\", task has an unknown \"toys\"");
  refused("bleu(second) >= 1", "bleu(third) >= 1",
          "mine.json, \"bleu(first) - bleu(third) >= 1\": there is no variant \"third\"");
  refused("bleu(first) >= 0", "bleu(fist) >= 0", "there is no variant \"fist\"");
  refused("bleu(second) >= 1\"", "bleu(second) >= 1\", \"needs\": [\"bleu(fist) >= 0\"]",
          "mine.json, \"bleu(fist) >= 0\": there is no variant \"fist\"");
  refused("\"y\": \"BLEU\"", "\"y\": \"BLEU\", \"variants\": [\"x\"]",
          "mine.json, a figure: there is no variant \"x\"");
  refused("bleu(second) >= 1", "bleu(second) > 1", "mine.json, part 1: the formula");
  refused("[\"bleu(first) >= 0\"]", "[]", "an experiment with a training has \"needs\"");
  refused("\"logarithmic\": \"xy\"", "\"line\": \"chance\"", "needs a number for each place of \"at\"");
  refused("\"logarithmic\": \"xy\"", "\"line\": \"chance\", \"line_at\": [1]",
          "needs a number for each place of \"at\"");
  refused("\"bleu\", {", "{}, {", "{} is no measure");
  refused("[1, 10, 100]", R"({"from": 1, "to": 2, "count": 1})",
          "\"count\" must be a whole number from 2 to 1000, got 1");
  refused("\"train\": 70", "\"train\": 63", "\"train\" must be a whole number from 64 to 10000000, got 63");
  refused("\"toy\": \"reverse\"", "\"toy\": \"dates\", \"letters\": [1, 2]",
          "the toy dates has no \"letters\"");
  refused("\"means\": \"Nothing.\"", "\"seeds\": 0",
          "\"seeds\" must be a whole number from 1 to 1000, got 0");
  refused("\"means\": \"Nothing.\"", "\"seeds\": 1e9",
          "\"seeds\" must be a whole number from 1 to 1000, got 1000000000.0");
  refused("[{\"measurement\": \"bleu\"}]", "[{\"measurement\": \"bleu\", \"decimals\": 1000000000}]",
          "mine.json, a column: \"decimals\" must be a whole number from -1 to 15, got 1000000000");
  const auto refused_tuning = [&](const std::string& tuning, const std::string& message) {
    refused("\"means\": \"Nothing.\"", "\"tuning\": " + tuning, message);
  };
  refused_tuning("[[\"a=1\"]]", "\"tuning\" must be an object");
  refused_tuning(R"({"a": [1, 2, 3]})", "\"tuning\" needs at least four values of a, in rising order");
  refused_tuning(R"({"a": [1, 2, 4, 4]})", "at least four values of a, in rising order");
  refused_tuning(R"({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]})", "\"tuning\" has one setting, not 2");
  refused_tuning(R"({"a": [0, 1, 2, 3]})", "mine.json, \"tuning\": \"a\" must be a list");
  refused("\"measurement\": \"bleu\", \"y\"", "\"measurement\": \"blue\", \"y\"",
          "mine.json, a figure: \"blue\" of \"first\" is not measured; its measures have validation_loss, "
          "parameters, bleu");
  refused("[{\"measurement\": \"bleu\"}]", "[{\"measurement\": \"blue\"}]",
          "mine.json, a column: \"blue\" of \"first\" is not measured");
  refused("\"measurement\": \"loss\"", "\"map\": true, \"measurement\": \"loss\"",
          "mine.json, a map, which one_sentence measures: \"reference\" of \"first\" is not measured");
  refused("[\"bleu\", {", "[\"bleu\", {\"exact_by_words\": {}}, \"exact\", {",
          "the measures exact_by_words and exact both have \"exact\"");
  refused("[\"bleu\", {", "[\"bleu\", \"bleu\", {", "\"measure\" has bleu twice");
  refused("\"pairs\": 3", "\"pair\": 3",
          "measure right_by_length has an unknown \"pair\"; choose one of lengths, pairs");
  refused("[1, 2], \"pairs\"", "[1, 2.5], \"pairs\"",
          "\"lengths\" must be a list of at most 1000 whole numbers, each from 0 to 1000000");
  refused("[1, 10, 100]", "[0, 10, 100]", "a logarithmic x needs numbers above 0");
  refused("\"A1\"", "\"../A1\"", "\"id\" names a directory");
}

TEST_CASE("whatever is wrong in a file of an experiment, the message names the file", "[experiments]") {
  // Each value is replaced by some others, and may be fit or not.
  const auto damage = [](const translation::Json& whole, const auto& read) {
    int refused = 0;
    const translation::Json values = whole.flatten();
    for (const auto& [path, value] : values.items()) {
      using Pointer = translation::Json::json_pointer;
      for (Pointer at(path); !at.empty(); at = at.parent_pointer())
        for (const char* const wrong : {"null", "true", "-1", "2.5", "1e300", "18446744073709551615", "\"x\"",
                                        "[]", "[[1]]", "{}", "{\"x\": 1}", "[\"x\", 1]"}) {
          translation::Json damaged = whole;
          damaged[at] = translation::Json::parse(wrong);
          try {
            read(damaged);
          } catch (const Error& error) {
            CAPTURE(at.to_string(), wrong, error.what());
            ++refused;
            CHECK(tests::contains(error.what(), "mine.json"));
            CHECK(!tests::contains(error.what(), "json.exception"));
          }
        }
    }
    return refused;
  };
  const translation::Json file = translation::parse_json(small_file, "mine.json");
  CHECK(damage(file, [](const translation::Json& json) { read_experiment(json, "mine.json"); }) > 500);
}

TEST_CASE("a table has a row for each variant", "[experiments]") {
  const tests::TemporaryDirectory directory;
  const Results results = two_variants({5, 6}, {1, 2.5});
  write_results(small(), results, directory / "out");
  CHECK(tests::content(directory / "out/table.md") ==
        "| | `bleu` |\n|---|---|\n| first | 5.5 (5.0 to 6.0) |\n| second | 1.8 (1.0 to 2.5) |\n");
}

TEST_CASE("the slope of a power law is its exponent", "[experiments]") {
  CHECK(exponent({1, 2, 4, 8}, {3, 12, 48, 192}) == Approx(2));
  CHECK(exponent({1, 2, 4, 8}, {3, 3, 3, 3}) == Approx(0));
}

TEST_CASE("every experiment says what the book needs, and has a chapter", "[experiments]") {
  std::set<std::string> known;
  std::pair<char, int> last;  // chapter and number: C2 before C10
  for (const Experiment& experiment : all_experiments()) {
    CAPTURE(experiment.id);
    for (const std::string& part : {experiment.claim, experiment.source, experiment.method})
      CHECK((part.size() > 3 && part.find('\n') == std::string::npos));
    CHECK(experiment.claim.ends_with("."));
    CHECK(!experiment.variants.empty());
    CHECK(!experiment.columns.empty());
    CHECK(!experiment.figures.empty());
    for (const Part& part : experiment.rule.parts) CHECK(part.says.ends_with("."));
    if (!experiment.text_of.empty()) CHECK(find_experiments(experiment.text_of).size() == 1);
    const std::pair place(experiment.id[0], std::stoi(experiment.id.substr(1)));
    CHECK(last <= place);
    CHECK(known.insert(experiment.id).second);
    last = place;
  }
  for (const Experiment& experiment : find_experiments("all"))
    CHECK(experiment.text_of.empty());  // no corpus is needed
}
