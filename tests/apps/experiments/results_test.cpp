#include "apps/experiments/results.h"

#include <nlohmann/json.hpp>

#include "apps/experiments/book.h"
#include "apps/experiments/catalogue.h"
#include "apps/experiments/figures.h"
#include "apps/experiments/timing.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::experiments;

namespace {

Results two_variants(const std::vector<double>& first, const std::vector<double>& second) {
  Results results{.variants = {{"first"}, {"second"}}};
  for (std::size_t i = 0; i < first.size(); ++i) {
    results.variants[0].runs.push_back(
        {to_index(i + 1), {{"bleu", {first[i]}}, {"curve", {first[i], 1, 2}}}});
    results.variants[1].runs.push_back(
        {to_index(i + 1), {{"bleu", {second[i]}}, {"curve", {second[i], 3, 4}}}});
  }
  return results;
}

Experiment small() {
  return {
      .id = "A1",
      .claim = "First & second differ.",
      .source = "nobody",
      .published = "",
      .method = "Two lists.",
      .rule = "One is above the other.",
      .minutes = 1,
      .variants = {{"first"}, {"second"}},
      .run = {},
      .decide =
          [](const Results& results) { return expect_above(results, "first", "second", "bleu", " BLEU"); },
      .columns = {{"BLEU", "bleu"}},
      .figures = {{.title = "", .measurement = "bleu", .y_label = "BLEU"},
                  {.title = "",
                   .measurement = "curve",
                   .y_label = "loss",
                   .x_label = "step",
                   .x = {1, 10, 100},
                   .x_logarithmic = true,
                   .y_logarithmic = true}}};
}

}  // namespace

TEST_CASE("a range is the mean, the least and the greatest over the seeds", "[experiments]") {
  const Results results = two_variants({1, 2, 6}, {0, 0, 0});
  const Range range = results.range("first", "bleu");
  CHECK(range.mean == 3);
  CHECK(range.least == 1);
  CHECK(range.most == 6);
  CHECK(results.range("second", "curve", 2).mean == 4);
  CHECK(text(range, 1) == "3.0 (1.0 to 6.0)");
  CHECK(text(results.range("second", "bleu"), 2) == "0.00");
  CHECK_THROWS_AS(results.range("third", "bleu"), Error);
  CHECK_THROWS_AS(results.range("first", "exact"), Error);
  CHECK_THROWS_AS(results.range("first", "curve", 3), Error);
}

TEST_CASE("a difference counts only if the ranges of the seeds do not overlap", "[experiments]") {
  const auto verdict = [](const std::vector<double>& first, const std::vector<double>& second) {
    return expect_above(two_variants(first, second), "first", "second", "bleu", "").verdict;
  };
  CHECK(verdict({5, 6, 7}, {1, 2, 4.9}) == Verdict::holds);
  CHECK(verdict({1, 2, 4.9}, {5, 6, 7}) == Verdict::does_not_hold);
  CHECK(verdict({5, 6, 7}, {1, 2, 5}) == Verdict::cannot_be_decided);  // they touch
  CHECK(verdict({5, 6, 7}, {1, 2, 6}) == Verdict::cannot_be_decided);
}

TEST_CASE("results are read as they were written, and a table has a row for each variant", "[experiments]") {
  const tests::TemporaryDirectory directory;
  const Results results = two_variants({5, 6}, {1, 2.5});
  write_results(small(), results, directory / "out");
  const Results read = read_results(small(), directory / "out/results.json");
  CHECK(to_json(small(), read) == to_json(small(), results));
  CHECK(table(small(), read) ==
        "| | BLEU |\n|---|---|\n| first | 5.5 (5.0 to 6.0) |\n| second | 1.8 (1.0 to 2.5) |\n");
  Experiment other = small();
  other.id = "A2";
  CHECK_THROWS_WITH(read_results(other, directory / "out/results.json"),
                    Catch::Matchers::Contains("has the results of experiment A1, not of A2"));
}

TEST_CASE("a picture has a bar for each variant, and a curve with its band", "[experiments]") {
  const std::string svg = figures_svg(small(), two_variants({5, 6}, {1, 2}));
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++found;
    return found;
  };
  CHECK(count("class=\"fill\"") == 2);
  CHECK(count("class=\"band\"") == 2);
  CHECK(count("First &amp; second differ.") >= 1);
  CHECK(count("nan") == 0);
}

TEST_CASE("the slope of a power law is its exponent", "[experiments]") {
  CHECK(exponent({1, 2, 4, 8}, {3, 12, 48, 192}) == Approx(2));
  CHECK(exponent({1, 2, 4, 8}, {3, 3, 3, 3}) == Approx(0));
}

TEST_CASE("every experiment says what the book needs, and has a chapter", "[experiments]") {
  std::string last;
  for (const Experiment& experiment : all_experiments()) {
    CAPTURE(experiment.id);
    for (const std::string& part : {experiment.claim, experiment.source, experiment.method, experiment.rule})
      CHECK((part.size() > 3 && part.find('\n') == std::string::npos));
    CHECK(experiment.claim.ends_with("."));
    CHECK(!experiment.variants.empty());
    CHECK(!experiment.columns.empty());
    CHECK(!experiment.figures.empty());
    CHECK(last < experiment.id);  // the order of the book
    last = experiment.id;
  }
}
