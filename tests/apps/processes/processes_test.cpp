// A training and a translation divided among processes. Threads stand for the processes.
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/translation/processes/agreement.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/translator/evaluation.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/profile.h"
#include "nn/attention_module.h"
#include "nn/safetensors.h"
#include "tests/apps/processes/threads_as_processes.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"
#include "tests/tensors.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::Real;

namespace {

SmallTraining divided_training(Index micro_batches) {
  SmallTraining training = eventful_training();
  training.settings.training.epochs = 2;
  training.settings.training.shards = micro_batches;
  training.settings.training.gradient_clip_norm = 0.5;
  return training;
}

/// Begins or resumes the training on this number of processes, until a step or (-1) until its end.
void train_on(const SmallTraining& training, const ModelDirectory& directory, Index count, Index until = -1) {
  const auto errors = run_processes(count, [&](Processes& processes) {
    TrainingOptions options = training.options();
    options.processes = &processes;
    Training run = prepare_training(training.settings, directory.path(), options);
    const bool stops = processes.rank() + 1 == processes.count();  // any process may ask to stop
    run_until(run, stops ? until : -1);
  });
  for (const std::string& error : errors) CHECK(error.empty());
}

/// The loss of the first update and the weights after it, which are the first weights minus the gradient.
std::pair<double, std::vector<Real>> first_step(SmallTraining training) {
  training.settings.training.optimiser = OptimiserKind::sgd;
  training.settings.training.learning_rate = 1;
  training.settings.training.gradient_clip_norm = 0;
  training.settings.training.average_decay = 0;
  training.settings.training.log_every = 1;
  training.settings.training.steps = 1;
  training.settings.checkpoints.average = Averaging::none;
  const Trained trained(training);
  auto model = training.model();
  regard::nn::load_parameters(model, trained.directory.weights());
  std::vector<Real> weights;
  for (const auto& parameter : model.parameters())
    weights.insert(weights.end(), parameter.tensor.values().begin(), parameter.tensor.values().end());
  return {trained.steps.back().window.loss, weights};
}

double largest_difference(const std::vector<Real>& one, const std::vector<Real>& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    largest = std::max(largest, static_cast<double>(std::abs(one[i] - other[i])));
  return largest;
}

}  // namespace

TEST_CASE("a training ends with the same bits on 1, 2, 3 and 4 processes", "[processes]") {
  const SmallTraining training = divided_training(4);
  const TemporaryDirectory temporary;
  const ModelDirectory alone(temporary / "alone");
  train_on(training, alone, 1);
  REQUIRE(alone.checkpoints.steps().size() >= 2);
  for (const Index count : {2, 3, 4}) {
    CAPTURE(count);
    const ModelDirectory directory(temporary / std::to_string(count));
    train_on(training, directory, count);
    CHECK(results(directory) == results(alone));
  }
  const ModelDirectory whole(temporary / "whole");
  train_on(divided_training(1), whole, 1);
  CHECK(results(whole).at("weights.safetensors") != results(alone).at("weights.safetensors"));
}

TEST_CASE("a training resumes to the same bits with another number of processes", "[processes]") {
  const SmallTraining training = divided_training(4);
  const TemporaryDirectory temporary;
  const ModelDirectory alone(temporary / "alone"), changing(temporary / "changing");
  train_on(training, alone, 1);
  train_on(training, changing, 2, 5);
  CHECK(changing.states.steps().front() == 5);
  train_on(training, changing, 1, 9);
  train_on(training, changing, 4, 12);
  CHECK(changing.states.steps().front() == 12);
  train_on(training, changing, 3);
  CHECK(results(changing) == results(alone));
}

TEST_CASE("without dropout, micro-batches change a gradient only by rounding", "[processes]") {
  SmallTraining training = divided_training(1);
  training.settings.model.config.dropout = regard::transformer::DropoutRates::all(0);
  const auto [loss, weights] = first_step(training);
  for (const Index micro_batches : {2, 3, 8, 50}) {
    training.settings.training.shards = micro_batches;
    const auto [divided_loss, divided] = first_step(training);
    CHECK(divided_loss == Approx(loss).epsilon(1e-6));
    CHECK(largest_difference(divided, weights) < 1e-6);
    CHECK(divided != weights);
  }
}

TEST_CASE("each micro-batch has random numbers of its own", "[processes]") {
  // All sentence pairs are equal, so with equal random numbers all micro-batches would have equal gradients.
  SmallTraining training = divided_training(2);
  training.settings.training.accumulate = 1;
  for (auto& sentence : training.data.training.source) sentence = {4, 5, 6};
  for (auto& sentence : training.data.training.target) sentence = {5, 6, 7};
  const auto two_micro_batches_and_one = [&] {
    training.settings.training.shards = 2;
    training.settings.training.batch_tokens = 8;  // two pairs
    const std::vector<Real> both = first_step(training).second;
    training.settings.training.shards = 1;
    training.settings.training.batch_tokens = 4;  // one pair, divided by half as many targets
    return largest_difference(both, first_step(training).second);
  };
  CHECK(two_micro_batches_and_one() > 1e-4);
  training.settings.model.config.dropout = regard::transformer::DropoutRates::all(0);
  CHECK(two_micro_batches_and_one() < 1e-6);
}

TEST_CASE("evaluation and search have the same results on several processes", "[processes]") {
  const SmallTraining training;
  const ParallelCorpus corpus = numbered_corpus(300, 40, SmallTraining::words, 4);
  auto model = training.model();
  const Evaluation alone = evaluate(model, corpus, {.beam = 2});
  const auto found = search_all(model, corpus.source, {.beam = 2, .n_best = 2}, 300);
  for (const Index count : {2, 3, 5}) {
    const auto errors = run_processes(count, [&](Processes& processes) {
      auto own = training.model();
      const Evaluation evaluation = evaluate(own, corpus, {.beam = 2}, processes);
      const auto searched = search_all(own, corpus.source, {.beam = 2, .n_best = 2}, 300, processes);
      bool same = evaluation.loss == alone.loss && evaluation.token_accuracy == alone.token_accuracy &&
                  evaluation.exact_match == alone.exact_match &&
                  evaluation.translations == alone.translations && searched.size() == found.size();
      for (std::size_t i = 0; i < found.size() && same; ++i)
        for (std::size_t n = 0; n < 2; ++n)
          same = same && searched[i][n].tokens == found[i][n].tokens &&
                 searched[i][n].score == found[i][n].score &&
                 searched[i][n].log_probability == found[i][n].log_probability;
      if (!same) regard::fail("another result");
    });
    for (const std::string& error : errors) CHECK(error.empty());
  }
}

TEST_CASE("tasks are dealt out, and their results come in order", "[processes]") {
  const auto errors = run_processes(3, [](Processes& processes) {
    Index computed = 0;
    const std::vector<std::string> results = compute_all(
        8,
        [&](std::size_t task) {
          ++computed;
          return std::to_string(task * task);
        },
        processes);
    if (computed > 3 || results != std::vector<std::string>{"0", "1", "4", "9", "16", "25", "36", "49"})
      regard::fail("another result");
  });
  for (const std::string& error : errors) CHECK(error.empty());
}

TEST_CASE("enough tasks are computed at the same time, each on one thread", "[processes]") {
  const auto squares = [](std::size_t tasks) {
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < tasks; ++i) expected.push_back(std::to_string(i * i));
    return expected;
  };
  const Threads two(2);
  // The first two tasks wait until both have begun.
  std::atomic<int> begun = 0;
  std::atomic<bool> met = true;
  const auto meet = [&](std::size_t task) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (++begun; begun < 2 && met; std::this_thread::yield())
      if (std::chrono::steady_clock::now() > deadline) met = false;
    return std::to_string(task * task);
  };
  // What workers inherit, such as the heads that are off here, is there on both threads.
  const int three = 3;
  const regard::OnThreadAndWorkers<int> scope(&three);
  const auto meet_inherited = [&](std::size_t task) {
    return regard::OnThreadAndWorkers<int>::innermost() == &three ? meet(task) : "something else";
  };
  CHECK(compute_all(9, meet_inherited) == squares(9));
  CHECK(met);

  const auto here = std::this_thread::get_id();
  bool elsewhere = false;
  const auto look = [&](std::size_t task) {
    elsewhere = elsewhere || std::this_thread::get_id() != here;
    return std::to_string(task * task);
  };
  CHECK(compute_all(3, look) == squares(3));  // too few
  {
    const regard::Profile profile;
    CHECK(compute_all(9, look) == squares(9));
  }
  // What workers do not inherit keeps the tasks here.
  const regard::nn::AttentionRecord record;
  CHECK(compute_all(9, look) == squares(9));
  CHECK_FALSE(elsewhere);
}

TEST_CASE("of several tasks that fail, the first one is reported when all have ended", "[processes]") {
  for (const int count : {1, 2}) {
    const Threads threads(count);
    std::atomic<int> computed = 0;
    const auto fail_twice = [&](std::size_t task) {
      ++computed;
      if (task == 2 || task == 6) regard::fail("task {}", task);
      return std::string();
    };
    CHECK_THROWS_WITH(compute_all(8, fail_twice), "task 2");
    CHECK(computed == 8);
  }
}

TEST_CASE("a search has the same results on any number of threads", "[processes]") {
  const SmallTraining training;
  const ParallelCorpus corpus = numbered_corpus(300, 40, SmallTraining::words, 4);
  auto model = training.model();
  const auto search = [&](int count) {
    const Threads threads(count);
    std::vector<std::pair<std::vector<std::int32_t>, double>> found;
    for (const auto& best : search_all(model, corpus.source, {.beam = 2}, 300))
      found.emplace_back(best.front().tokens, best.front().log_probability);
    return found;
  };
  const auto expected = search(1);
  for (const int count : {2, 3, 5}) CHECK(search(count) == expected);
}

TEST_CASE("a difference between processes is refused with rank, host and values", "[processes]") {
  const auto differ = run_processes(3, [](Processes& processes) {
    check_agreement(processes, {{"colour", "red"}, {"size", processes.rank() == 2 ? "7" : "5"}}, "paint it");
  });
  for (const std::string& error : differ) {
    CHECK_CONTAINS(error, "rank 2 on host ");
    CHECK_CONTAINS(error, " has another size than rank 0 on host ");
    CHECK_CONTAINS(error, ": 7 instead of 5; nothing was changed; paint it");
  }
  const auto agree = run_processes(3, [](Processes& processes) {
    check_agreement(processes, {{"colour", "red"}}, "paint it");
  });
  for (const std::string& error : agree) CHECK(error.empty());
  const auto seeds = run_processes(2, [](Processes& processes) {
    Settings settings = SmallTraining().settings;
    settings.training.threads = 1 + processes.rank();  // may differ
    settings.training.seed = 3 + processes.rank();
    check_same_settings(processes, settings);
  });
  CHECK_CONTAINS(seeds.front(), "another training.seed than rank 0");
}

TEST_CASE("each process needs a micro-batch", "[processes]") {
  const auto errors = run_processes(3, [](Processes& processes) { check_shards(processes, 2); });
  CHECK_CONTAINS(errors.front(), "there are 3 processes, but training.shards is 2");
  CHECK_CONTAINS(errors.front(), "set training.shards to at least 3");
  for (const std::string& error : run_processes(2, [](Processes& processes) { check_shards(processes, 2); }))
    CHECK(error.empty());
}
