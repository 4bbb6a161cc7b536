// What a training makes of files of its own that are damaged, closed or gone.
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "nn/safetensors.h"
#include "tests/apps/training/eventful_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;

namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Begins a training and stops it after a step.
void begin(const SmallTraining& training, const ModelDirectory& directory, Index stop) {
  Trainer trainer(training.settings, training.data, directory);
  trainer.begin();
  run_until(trainer, stop);
}

/// Lets it go on to its end; returns the step from which it went on.
Index end(const SmallTraining& training, const ModelDirectory& directory) {
  Trainer trainer(training.settings, training.data, directory);
  trainer.resume();
  const Index step = trainer.progress().step;
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
  REQUIRE(directory.states() == std::vector<Index>{9, 8});
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
  for (const Index step : directory.states()) std::ofstream(directory.state(step)) << "no state";
  Trainer trainer(training.settings, training.data, directory);
  const std::string newest = directory.state(directory.states().front());
  CHECK_ERROR(trainer.resume(), newest + " cannot be read as safetensors");
  CHECK_ERROR(trainer.resume(),
              directory.state(directory.states().back()) + " cannot be read as safetensors");
  CHECK_ERROR(trainer.resume(), "; there is no other state to go on from; --overwrite begins anew");
}

TEST_CASE("a log that somebody cut goes on with whole lines", "[lost]") {
  const SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  Trainer trainer(training.settings, training.data, directory);
  trainer.begin();
  const std::string two = "{\"step\": 1}\n{\"step\": 2}\n";
  write(directory.metrics(), two + "{\"step\": 3}\n");
  run_until(trainer, 9);
  write(directory.metrics(), two + "{\"st");
  end(training, directory);
  CHECK(content(directory.metrics()) == two);
}

TEST_CASE("where a training was stopped after a validation, the state before has its checkpoints", "[lost]") {
  SmallTraining training = eventful_training();
  training.settings.checkpoints = {
      .save_every = 2, .keep_last = 1, .keep_best = 0, .average = Averaging::none};
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  begin(training, directory, 6);  // validated, as 3 was
  CHECK(directory.states() == std::vector<Index>{6, 4});
  CHECK(directory.checkpoints() == std::vector<Index>{6, 3});
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
  for (const Index step : directory.checkpoints()) write(directory.checkpoint(step), "damaged");
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
  const Index step = end(training, directory);
  CHECK(step < 60);
  CHECK(directory.has_weights());
  Trainer trainer(training.settings, training.data, directory);
  trainer.resume();
  CHECK(trainer.finished());
  CHECK(trainer.progress().step == step);
}

namespace {

/// The best loss of a training's steps, and how many validations came since.
class Scores : public Silent {
 public:
  void on_validation(const ValidationReport& report) override {
    const double loss = report.validation.evaluation.loss;
    since_best = loss < best ? 0 : since_best + 1;
    best = std::min(best, loss);
  }
  double best = 1e9;
  Index since_best = 0;
};

/// Changes what the newest state says of the best score.
void replace_best_score(const ModelDirectory& directory, double score) {
  const std::string path = directory.state(directory.states().front());
  regard::nn::Metadata metadata;
  std::vector<regard::nn::NamedParameter> tensors;
  for (const auto& [name, tensor] : regard::nn::load_safetensors(path, &metadata))
    tensors.push_back({name, tensor});
  Json progress = Json::parse(metadata.at("progress"));
  progress.at("best").at("score") = score;
  metadata.at("progress") = progress.dump();
  regard::nn::save_safetensors(path, tensors, metadata);
}

}  // namespace

TEST_CASE("patience compares single steps, though a mean of them is the best", "[lost]") {
  SmallTraining training;
  training.settings.training.epochs = 2;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  Scores scores;
  Trainer first(training.settings, training.data, directory);
  first.begin();
  first.run(scores);
  CHECK(first.progress().best->score == scores.best);
  replace_best_score(directory, 0.001);  // a mean of checkpoints that no step will ever reach
  training.settings.training.epochs = 5;
  Trainer rest(training.settings, training.data, directory);
  rest.resume();
  rest.run(scores);
  REQUIRE(scores.since_best < 3);  // a step of these was better than all before
  CHECK(rest.progress().best_validation == scores.best);
  CHECK(rest.progress().without_best == scores.since_best);
  CHECK(rest.progress().best->score == 0.001);
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
