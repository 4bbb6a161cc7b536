// A training and a translation divided among processes. Threads stand for the processes.
#include <nlohmann/json.hpp>

#include "apps/translation/processes/sharing.h"
#include "apps/translation/translator/evaluation.h"
#include "apps/translation/translator/in_batches.h"
#include "tests/apps/processes/threads_as_processes.h"
#include "tests/apps/training/varied_trainings.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_size;

namespace {

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

/// Compares the settings of a training with this number of micro-batches.
void agree_on_shards(Processes& processes, Index shards) {
  Settings settings = SmallTraining().settings;
  settings.training.shards = shards;
  processes.agree_on(settings);
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

TEST_CASE("trainings of all kinds end with the same bits on several processes", "[processes]") {
  for (SmallTraining training : {worse_on_a_plateau(), mixed_training(), sampled_training(0.5, 4)}) {
    training.settings.training.shards = 3;
    const TemporaryDirectory temporary;
    const ModelDirectory alone(temporary / "alone");
    train(training, alone);
    for (const Index count : {2, 3}) {
      const ModelDirectory together(temporary / std::to_string(count));
      train_on(training, together, count);
      CHECK(results(together) == results(alone));
    }
  }
}

TEST_CASE("with a limit in minutes, all processes end at the same step", "[processes]") {
  SmallTraining training = eventful_training();
  training.settings.training.epochs = 0;
  training.settings.training.minutes = 0.003;
  training.settings.training.shards = 3;
  const TemporaryDirectory temporary;
  std::vector<Index> steps(3);
  std::vector<double> seconds(3);
  const auto errors = run_processes(3, [&](Processes& processes) {
    TrainingOptions options = training.options();
    options.processes = &processes;
    Training run = prepare_training(training.settings, temporary / "model", options);
    run_training(run);
    steps[to_size(processes.rank())] = run.progress.step;
    seconds[to_size(processes.rank())] = run.progress.seconds;
  });
  for (const std::string& error : errors) CHECK(error == "");
  CHECK(steps[0] > 0);
  CHECK(steps == std::vector<Index>(3, steps[0]));
  CHECK(seconds == std::vector<double>(3, seconds[0]));
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

TEST_CASE("a difference between processes is refused with rank, host and values", "[processes]") {
  const auto differ = run_processes(3, [](Processes& processes) {
    processes.agree_on({{"colour", "red"}, {"size", processes.rank() == 2 ? "7" : "5"}}, "paint it");
  });
  for (const std::string& error : differ) {
    CHECK_CONTAINS(error, "rank 2 on host ");
    CHECK_CONTAINS(error, " has another size than rank 0 on host ");
    CHECK_CONTAINS(error, ": 7 instead of 5; nothing was changed; paint it");
  }
  const auto agree = run_processes(3, [](Processes& processes) {
    processes.agree_on({{"colour", "red"}}, "paint it");
  });
  for (const std::string& error : agree) CHECK(error.empty());
  const auto seeds = run_processes(2, [](Processes& processes) {
    Settings settings = divided_training(2).settings;
    settings.training.threads = 1 + processes.rank();  // may differ
    settings.training.seed = 3 + processes.rank();
    processes.agree_on(settings);
  });
  CHECK_CONTAINS(seeds.front(), "another training.seed than rank 0");
}

TEST_CASE("each process needs a micro-batch", "[processes]") {
  const auto errors = run_processes(3, [](Processes& processes) { agree_on_shards(processes, 2); });
  CHECK_CONTAINS(errors.front(), "there are 3 processes, but training.shards is 2");
  CHECK_CONTAINS(errors.front(), "set training.shards to at least 3");
  for (const std::string& error :
       run_processes(2, [](Processes& processes) { agree_on_shards(processes, 2); }))
    CHECK(error.empty());
}
