#include "apps/experiments/measures/measures.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "apps/experiments/measures/job.h"
#include "tests/apps/support.h"
#include "tests/temporary_directory.h"

// Measures whose numbers are known without a trained model.

using namespace regard;
using namespace regard::experiments;

namespace {

/// What one measure finds in a job with a small corpus.
Measurements measured(Job job) {
  const tests::TemporaryDirectory directory;
  job.directory = directory / "job";
  std::filesystem::create_directories(job.directory);
  job.task = {.toy = "sentences", .train = 200, .validation = 10, .test = 10};
  return measure(job).front().measurements;
}

/// In a job of a few steps.
Measurements quick_measure(const MeasureCall& call, std::vector<std::string> settings = {}) {
  settings.emplace_back("training.steps=4");
  return measured({.settings = std::move(settings), .quick = true, .measures = {call}});
}

}  // namespace

TEST_CASE("attention as it is written keeps numbers for each pair and head, in blocks it does not",
          "[experiments]") {
  constexpr double heads = 4, bytes = 4, n = 128;
  const auto kept_matrices = [&](const MeasureCall& call) {
    const std::vector<double> mb = quick_measure(call).at("megabytes");
    return (mb[1] - 2 * mb[0]) * 1e6 / (2 * n * n * heads * bytes);  // the square part of a n^2 + b n
  };
  const std::vector<double> lengths{n, 2 * n};
  const double matrices = kept_matrices({"memory_of_attention", {{"lengths", lengths}, {"formula", {1}}}});
  CHECK(matrices >= 1);  // at least the weights
  CHECK(matrices == Approx(std::round(matrices)).epsilon(0.02));
  CHECK(kept_matrices({"memory_of_attention", {{"lengths", lengths}}}) < 0.05);
}

TEST_CASE("an embedding has nothing of other words, and each layer adds some", "[experiments]") {
  const Measurements found = quick_measure({"mixing", {{"pairs", {5}}}});
  for (const char* const shares : {"others", "before"}) {
    const std::vector<double>& others = found.at(shares);
    REQUIRE(others.size() == 3);  // the embedding and two layers
    CHECK(others[0] == 0);
    CHECK(others[1] > 0);
    CHECK(others[2] > others[1]);
    CHECK(others[2] < 100);
  }
  CHECK(found.at("far")[0] == 0);
  CHECK(found.at("far")[2] < found.at("others")[2]);
}

TEST_CASE("with teacher forcing the first letter is as it is without, and later ones are not",
          "[experiments]") {
  const tests::TemporaryDirectory directory;
  const std::vector<double> lengths{1, 6};
  Job job{.settings = {"model.d_model=16", "training.learning_rate=0.01", "training.steps=200"},
          .measures = {{"right_by_length", {{"lengths", lengths}}},
                       {"forced_by_length", {{"lengths", lengths}}}}};
  job.directory = directory / "job";
  std::filesystem::create_directories(job.directory);
  job.task = {.toy = "copy", .letters = {1, 6}, .train = 1000, .validation = 10, .test = 10};
  const std::vector<Measured> found = measure(job);
  const std::vector<double>&free = found[0].measurements.at("right"),
        &forced = found[1].measurements.at("forced");
  CHECK(free[0] > 0);
  CHECK(forced[0] == Approx(free[0]));
  CHECK(forced[1] != Approx(free[1]));
}

TEST_CASE("a model that may not end writes letters where it would end", "[experiments]") {
  const tests::TemporaryDirectory directory;
  Job job{.settings = {"model.d_model=16", "training.learning_rate=0.01", "training.steps=200"}};
  job.directory = directory / "job";
  std::filesystem::create_directories(job.directory);
  job.task = {.toy = "copy", .letters = {1, 2}, .train = 600, .validation = 10, .test = 10};
  Trial trial(job);
  Index more = 0;
  for (const char* const letters : {"a a a a a a", "b b b b b b", "c c c c c c", "d d d d d d"}) {
    const Pairs pair{{letters, letters}};
    const std::vector<bool> anywhere = forced_right(trial.trained(), pair).front(),
                            at_the_end = forced_right(trial.trained(), pair, End::at_the_end).front();
    for (std::size_t place = 0; place < anywhere.size(); ++place)
      CHECK((at_the_end[place] || !anywhere[place]));
    CHECK(at_the_end.back() == anywhere.back());  // </s> itself
    more += std::ranges::count(at_the_end, true) - std::ranges::count(anywhere, true);
  }
  CHECK(more > 0);  // it has never seen more than two letters
}

TEST_CASE("the first weights are there with a learning rate that falls to 0, too", "[experiments]") {
  const Measurements found =
      measured({.settings = {"training.schedule=cosine", "training.warmup_steps=2", "training.steps=4"},
                .measures = {{"positional_heads"}}});
  CHECK(found.at("neighbour_before")[0] > 0);
}

TEST_CASE("heads whose scores are nearly 0 have nearly the same weights", "[experiments]") {
  const auto overlap = [](const std::vector<std::string>& settings) {
    return quick_measure({"overlap", {{"pairs", {5}}}}, settings);
  };
  const Measurements found = overlap({});
  CHECK(found.at("cost").size() == 4 * (2 + 2 + 2));
  CHECK(found.at("encoder")[0] > 50);
  // Without 1/sqrt(d_k) the scores are four times as large.
  CHECK(overlap({"model.multi_head.scaled=false"}).at("encoder")[0] < found.at("encoder")[0]);
}

TEST_CASE("what is timed in turns has a time for each", "[experiments]") {
  const std::vector<double> turns{2};
  CHECK(quick_measure({"time_of_heads", {{"heads", {1, 4}}, {"turns", turns}}}).at("ms").size() == 2);
  const Measurements growth =
      quick_measure({"growth_of_time", {{"lengths", {4, 8, 16}}, {"widths", {8, 16, 32}}, {"turns", turns}}});
  CHECK(growth.at("by_n").size() == 3);
  CHECK(growth.at("by_d").size() == 3);
  CHECK_ERROR(quick_measure({"time_of_heads", {{"heads", {1}}}}), "turns");
}

TEST_CASE("hard attention has no gradient by backpropagation, and a noisy one by REINFORCE",
          "[experiments]") {
  const Measurements found =
      quick_measure({"hard_gradient"}, {"model.preset=bahdanau2015", "model.d_model=8"});
  CHECK(found.at("backpropagation")[0] == 0);
  CHECK(found.at("noise")[0] > 0);
}
