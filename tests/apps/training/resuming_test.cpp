// A resumed training ends with the same bits as one without interruption.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/training_log.h"
#include "autograd/machine/error.h"
#include "nn/safetensors.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_index;

namespace {

Index all_steps(const SmallTraining& training) {
  Index steps = 0;
  for (Index epoch = 1; epoch <= 3; ++epoch) {
    const auto batches =
        plan_epoch(pair_lengths(training.data.training), training.settings.training.batch_tokens, 1, epoch)
            .size();
    steps += to_index((batches + 1) / 2);
  }
  return steps;
}

}  // namespace

TEST_CASE("a training stopped after any step is resumed to the same bits", "[resume]") {
  const SmallTraining training = eventful_training();
  const Index steps = all_steps(training);
  REQUIRE(steps > 20);
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed");
  {
    Training whole = start(training, undisturbed);
    CHECK(run_until(whole));
    CHECK(finished(whole));
    CHECK(whole.progress.step == steps);
  }
  REQUIRE(undisturbed.checkpoints.steps().size() >= 2);
  for (Index stop = 1; stop <= steps; stop += 1) {
    CAPTURE(stop);
    const ModelDirectory directory(temporary / std::to_string(stop));
    {
      Training begun = start(training, directory);
      CHECK_FALSE(run_until(begun, stop));
      CHECK_FALSE(finished(begun));
    }
    CHECK(train(training, directory) == stop);
    CHECK(results(directory) == results(undisturbed));
    CHECK(newest_state(directory) == newest_state(undisturbed));
  }
}

TEST_CASE("weights are not a state: moments and random numbers start again", "[resume]") {
  const SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory whole(temporary / "whole"), half(temporary / "half"), rest(temporary / "rest");
  train(training, whole, 10);
  train(training, half, 5);
  SmallTraining second = training;
  second.settings.training.initial_weights = half.states.file(5);
  CHECK_ERROR(start(second, rest),
              half.states.file(5) + " is the state of a training, not a file of weights");
  second.settings.training.initial_weights = half.path();  // its best weights so far
  train(second, rest, 5);
  CHECK(newest_state(rest) != newest_state(whole));
}

TEST_CASE("the log of a resumed training is the same as without interruption", "[resume]") {
  const SmallTraining training = eventful_training();
  const auto logged = [&](const std::string& path, Index stop) {
    const ModelDirectory directory(path);
    const auto run = [&](Index until) {
      Training some = start(training, directory);
      TrainingLog log(directory.metrics(), ProgressBar::hidden, [](const std::string&) {});
      run_training(some, log, [&] { return some.progress.step == until; });
    };
    run(stop);
    if (stop > 0) {
      // Adds a line of a step that will be repeated, as after a kill between two saves.
      std::ofstream(directory.metrics(), std::ios::app) << "{\"step\": 999}\n";
      run(-1);
    }
    std::string lines;  // without times and speeds
    for (const std::string& line : read_lines(directory.metrics())) {
      Json entry = Json::parse(line);
      for (const char* of_the_clock : {"tokens_per_second", "seconds"}) entry.erase(of_the_clock);
      lines += entry.dump() + "\n";
    }
    return lines;
  };
  const TemporaryDirectory temporary;
  const std::string undisturbed = logged(temporary / "undisturbed", -1);
  CHECK(contains(undisturbed, "\"step\":8"));
  for (const Index stop : {3, 6, 10}) CHECK(logged(temporary / std::to_string(stop), stop) == undisturbed);
}

TEST_CASE("the speed counts only the present run, because another machine may resume a training",
          "[resume]") {
  const SmallTraining training;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "training");
  {
    Training slow = start(training, directory);
    TrainingObserver nobody;
    run_training(slow, nobody, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return slow.progress.step == 3;
    });
  }
  Training rest = start(training, directory);
  const double slow = rest.progress.seconds;
  REQUIRE(slow > 0.2);
  Recording recording;
  run_training(rest, recording);
  REQUIRE(recording.steps.size() > 3);
  for (const StepReport& report : recording.steps)
    CHECK(report.step_seconds * static_cast<double>(report.step - 3) == Approx(report.total_seconds - slow));
}

TEST_CASE("another corpus is refused", "[resume]") {
  SmallTraining training = eventful_training();
  training.settings.validation.metric = ValidationMetric::loss;  // the others need a validation corpus
  training.settings.checkpoints.keep_best = 0;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  start(training, directory);
  const auto refused = [&](const SmallTraining& other) { return MESSAGE_OF(start(other, directory)); };
  CHECK_CONTAINS(refused(training), "no error was thrown");
  SmallTraining other = training;
  other.data.training.source[7].push_back(4);
  CHECK_CONTAINS(refused(other), "the training corpus is not the one with which the training in");
  other = training;
  other.data.validation->target[0][0] ^= 1;
  CHECK_CONTAINS(refused(other), "the validation corpus is not the one");
  other = training;
  other.data.references[3] += "!";
  CHECK_CONTAINS(refused(other), "the validation corpus is not the one");
  other = training;
  TokenCounts renamed;  // the same ids, but one belongs to another word
  for (Index id = special::count; id < training.data.vocabularies.target.size(); ++id)
    renamed.add(id == 6 ? "other" : training.data.vocabularies.target.token(id));
  other.data.vocabularies.target = Vocabulary::from_counts(renamed);
  CHECK_CONTAINS(refused(other), "the vocabulary is not the one");
  other = training;
  other.data.validation.reset();
  CHECK_CONTAINS(refused(other), "the validation corpus is not the one");
  const ModelDirectory without(temporary / "without");
  start(other, without);
  other.data.validation = training.data.validation;
  CHECK_ERROR(start(other, without),
              "the training in " + without.path() + " began without a validation corpus");
}

TEST_CASE("a finished training is resumed with a higher limit", "[resume]") {
  SmallTraining training;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  start(training, directory);
  Index steps = 0;
  for (const Index epochs : {1, 1, 2}) {
    training.settings.training.epochs = epochs;
    Training run = start(training, directory);
    CHECK(finished(run) == (steps > 0 && epochs == 1));
    run_until(run);
    CHECK((epochs == 1) == (steps == 0 || run.progress.step == steps));
    steps = run.progress.step;
  }
  CHECK(load_config(directory.path()).training.epochs == 2);
}

TEST_CASE("settings that may change and settings that may not", "[resume]") {
  const SmallTraining training = eventful_training();
  const auto refusal = [&](const auto& change) {
    Settings settings = training.settings;
    change(settings);
    return MESSAGE_OF(check_resumable(training.settings, settings, "DIR"));
  };
  const auto none = "no error was thrown";
  CHECK_CONTAINS(refusal([](Settings&) {}), none);
  CHECK_CONTAINS(refusal([](Settings& s) {
                   s.training.steps = 5, s.training.epochs = 9, s.training.tokens = 7, s.training.threads = 1;
                   s.training.log_every = 1, s.validation.patience = 3, s.checkpoints.keep_last = 7;
                   s.data.source = "elsewhere", s.training.minutes = 2;
                 }),
                 none);
  // The settings of the search, unless they decide which weights are the best.
  const auto searches = [](Settings& s) { s.decoding.beam = 2, s.validation.beam = 3; };
  CHECK_CONTAINS(refusal(searches), "validation.beam was 1 when");
  CHECK_CONTAINS(refusal([](Settings& s) { s.decoding.alpha = 0.5; }), "decoding.alpha was");
  CHECK_CONTAINS(refusal([](Settings& s) { s.decoding.beam = 2; }), none);  // validations do not use it
  Settings by_loss = training.settings, other_search = by_loss;
  by_loss.validation.metric = other_search.validation.metric = ValidationMetric::loss;
  searches(other_search);
  CHECK_NOTHROW(check_resumable(by_loss, other_search, "DIR"));
  CHECK_CONTAINS(refusal([](Settings& s) { s.training.label_smoothing = 0.3; }),
                 "training.label_smoothing was 0.1 when the training in DIR began, and is 0.3 now; "
                 "give 0.1 again to resume, another directory, or --overwrite");
  CHECK_CONTAINS(refusal([](Settings& s) { s.training.freeze = {"encoder"}; }),
                 "training.freeze was [] when the training in DIR began, and is [\"encoder\"] now; "
                 "give [] again");
  CHECK_CONTAINS(refusal([](Settings& s) { s.model.config.d_ff = 99; }),
                 "model.d_ff was 24 when the training in DIR began, and is 99 now");
  CHECK_CONTAINS(refusal([](Settings& s) { s.data.max_length = 9; }), "data.max_length");
  CHECK_CONTAINS(refusal([](Settings& s) { s.training.weight_decay = 1; }), "training.weight_decay was 0.0");
  CHECK_CONTAINS(refusal([](Settings& s) { s.data.validation_share = 0.1; }), "data.validation_share was");
  CHECK_CONTAINS(refusal([](Settings& s) { s.data.shares = {1, 2}; }), "data.shares was [] when");
  CHECK_CONTAINS(refusal([](Settings& s) { s.validation.metric = ValidationMetric::loss; }),
                 "validation.metric was \"bleu\"");
  Settings cosine = training.settings;
  cosine.training.schedule = regard::nn::Schedule::cosine;
  Settings longer = cosine;
  longer.training.steps = 100;
  CHECK_ERROR(check_resumable(cosine, longer, "DIR"), "training.steps was 0");
}
