// What a training makes of files of its own that are damaged, closed or gone.
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/translation/files.h"
#include "tests/apps/eventful_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;

namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Begins a training and stops it after a step.
void begin(const SmallTraining& training, const ModelDirectory& directory, std::int64_t stop) {
  Trainer trainer(training.settings, training.data, directory);
  trainer.begin();
  run_until(trainer, stop);
}

/// Lets it go on to its end; returns the step from which it went on.
std::int64_t end(const SmallTraining& training, const ModelDirectory& directory) {
  Trainer trainer(training.settings, training.data, directory);
  trainer.resume();
  const std::int64_t step = trainer.progress().step;
  run_until(trainer, -1);
  return step;
}

}  // namespace

TEST_CASE("a damaged state gives way to the one before", "[lost]") {
  const SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed"), directory(temporary / "model");
  Trainer whole(training.settings, training.data, undisturbed);
  whole.begin();
  run_until(whole, -1);
  {
    Trainer trainer(training.settings, training.data, directory);
    trainer.begin();
    run_until(trainer, 9);
  }
  REQUIRE(directory.states() == std::vector<std::int64_t>{9, 8});
  std::string damaged = content(directory.state(9));
  damaged[damaged.size() / 2] ^= 1;
  std::ofstream(directory.state(9), std::ios::binary) << damaged;
  {
    Trainer trainer(training.settings, training.data, directory);
    trainer.resume();
    CHECK(trainer.progress().step == 8);
    run_until(trainer, -1);
  }
  CHECK(results(directory) == results(undisturbed));
  for (const std::int64_t step : directory.states()) std::ofstream(directory.state(step)) << "no state";
  Trainer trainer(training.settings, training.data, directory);
  CHECK_ERROR(trainer.resume(), "; there is no other state to go on from; --overwrite begins anew");
}

TEST_CASE("weights that have gone are found anew, also where no step is left", "[lost]") {
  SmallTraining training;
  training.settings.validation.every_steps = 1;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  {
    Trainer trainer(training.settings, training.data, directory);
    trainer.begin();
    run_until(trainer, 4);  // stopped, not finished; step 4 has been validated
  }
  std::filesystem::remove(directory.weights());
  training.settings.training.steps = 4;
  Trainer trainer(training.settings, training.data, directory);
  trainer.resume();
  run_until(trainer, -1);
  CHECK(trainer.finished());
  CHECK(directory.has_weights());
}

TEST_CASE("a state under the name of another is none", "[lost]") {
  const SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed"), directory(temporary / "model");
  begin(training, undisturbed, -1);
  begin(training, directory, 9);
  std::filesystem::rename(directory.state(9), directory.state(900));
  CHECK(end(training, directory) == 8);
  CHECK(results(directory) == results(undisturbed));
}

TEST_CASE("damaged weights and checkpoints are as good as gone", "[lost]") {
  SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed"), directory(temporary / "model");
  begin(training, undisturbed, -1);
  begin(training, directory, -1);
  for (const std::int64_t step : directory.checkpoints()) write(directory.checkpoint(step), "damaged");
  write(directory.weights(), "damaged");
  end(training, directory);  // no update is left, but a validation
  TranslationModel::load(directory.path());
  // A step's own weights: there is no mean without checkpoints.
  CHECK(content(directory.weights()) == content(directory.checkpoint(directory.checkpoints().front())));
}

TEST_CASE("a training whose patience has ended stays so when its weights are looked for anew", "[lost]") {
  SmallTraining training = training_that_goes_astray();
  training.settings.validation.patience = 3;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  begin(training, directory, -1);
  std::filesystem::remove(directory.weights());
  const std::int64_t step = end(training, directory);
  CHECK(step < 60);
  CHECK(directory.has_weights());
  Trainer trainer(training.settings, training.data, directory);
  trainer.resume();
  CHECK(trainer.finished());
  CHECK(trainer.progress().step == step);
}

namespace {

/// The scores of a training, those of single steps apart from that of the mean.
class Scores : public Silent {
 public:
  void on_validation(const ValidationReport& report) override {
    const double loss = report.validation.evaluation.loss;
    if (report.averaged > 0) {
      mean = loss;
      return;
    }
    since_best = loss < best ? 0 : since_best + 1;
    best = std::min(best, loss);
  }
  double best = 1e9, mean = 0;
  std::int64_t since_best = 0;
};

}  // namespace

TEST_CASE("patience compares single steps, though their mean is the best", "[lost]") {
  SmallTraining training;
  training.settings.training.epochs = 12;
  training.settings.checkpoints = {.keep_last = 6, .average = Averaging::last};
  int means_taken = 0;
  for (std::int64_t seed = 1; seed <= 12; ++seed) {
    training.settings.training.seed = seed;
    training.settings.training.learning_rate = seed % 2 == 0 ? 0.03 : 0.05;  // one step is much like another
    const TemporaryDirectory temporary;
    const ModelDirectory directory(temporary / "model");
    Trainer trainer(training.settings, training.data, directory);
    trainer.begin();
    Scores scores;
    trainer.run(scores);
    CHECK(trainer.progress().best->score == std::min(scores.best, scores.mean));
    CHECK(trainer.progress().best_validation == scores.best);
    CHECK(trainer.progress().without_best == scores.since_best);
    means_taken += scores.mean < scores.best;
  }
  CHECK(means_taken > 0);
}

TEST_CASE("a progress to which no training can have come is refused", "[lost]") {
  Progress good;
  good.step = 9;
  good.kept = {{.step = 3}, {.step = 9}};
  const auto refusal = [&](const auto& change) {
    Progress progress = good;
    change(progress);
    return MESSAGE_OF(parse_progress(to_json(progress), "FILE"));
  };
  CHECK_THAT(refusal([](Progress&) {}), ContainsSubstring("no error was thrown"));
  const std::string impossible = "FILE: no training can have come to this progress";
  CHECK(refusal([](Progress& p) { p.epoch_steps = -1; }) == impossible);
  CHECK(refusal([](Progress& p) { p.epoch = 0; }) == impossible);
  CHECK(refusal([](Progress& p) { p.metrics_bytes = -1; }) == impossible);
  CHECK(refusal([](Progress& p) { p.kept.push_back({.step = 4}); }) == impossible);
  CHECK(refusal([](Progress& p) { p.kept.push_back({.step = 10}); }) == impossible);
  CHECK(refusal([](Progress& p) { p.validated_step = 10; }) == impossible);
}
