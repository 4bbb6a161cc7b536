// A resumed training whose files are damaged, missing, or cannot be opened.
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "nn/safetensors.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;

namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("if the newest state is damaged, the training resumes from the state before it", "[lost]") {
  const SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed"), directory(temporary / "model");
  train(training, undisturbed);
  train(training, directory, 9);
  REQUIRE(directory.states.steps() == std::vector<Index>{9, 8});
  std::string damaged = content(directory.states.file(9));
  damaged[damaged.size() / 2] ^= 1;
  write(directory.states.file(9), damaged);
  CHECK(train(training, directory) == 8);
  CHECK(results(directory) == results(undisturbed));
  for (const Index step : directory.states.steps()) write(directory.states.file(step), "no state");
  const std::string newest = directory.states.file(directory.states.steps().front());
  CHECK_ERROR(start(training, directory), newest + " cannot be read as safetensors");
  CHECK_ERROR(start(training, directory),
              directory.states.file(directory.states.steps().back()) + " cannot be read as safetensors");
  CHECK_ERROR(start(training, directory),
              "; there is no other state to resume from; --overwrite starts a new training");
}

TEST_CASE("a log that was shortened is continued after its last complete line", "[lost]") {
  const SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  const std::string two = "{\"step\": 1}\n{\"step\": 2}\n";
  {
    Training trainer = start(training, directory);
    write(directory.metrics(), two + "{\"step\": 3}\n");
    run_until(trainer, 9);
  }
  write(directory.metrics(), two + "{\"st");
  train(training, directory);
  CHECK(content(directory.metrics()) == two);
}

TEST_CASE("if a training was stopped after a validation, the state before it still has its checkpoints",
          "[lost]") {
  SmallTraining training = eventful_training();
  training.settings.checkpoints = {
      .save_every = 2, .keep_last = 1, .keep_best = 0, .average = Averaging::none};
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  train(training, directory, 6);  // validated, like step 3
  CHECK(directory.states.steps() == std::vector<Index>{6, 4});
  CHECK(directory.checkpoints.steps() == std::vector<Index>{6, 3});
}

TEST_CASE("missing best weights are determined again, even if no step is left", "[lost]") {
  SmallTraining training;
  training.settings.validation.every_steps = 1;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  train(training, directory, 4);  // stopped, not finished; step 4 has been validated
  std::filesystem::remove(directory.weights());
  training.settings.training.steps = 4;
  Training trainer = start(training, directory);
  run_until(trainer);
  CHECK(finished(trainer));
  CHECK(directory.has_weights());
}

TEST_CASE("a state with the file name of another step is refused", "[lost]") {
  const SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed"), directory(temporary / "model");
  train(training, undisturbed);
  train(training, directory, 9);
  std::filesystem::rename(directory.states.file(9), directory.states.file(900));
  CHECK(train(training, directory) == 8);
  CHECK(results(directory) == results(undisturbed));
}

TEST_CASE("a state of another format is refused", "[lost]") {
  const SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  train(training, directory, 9);
  std::filesystem::remove(directory.states.file(8));
  regard::nn::Metadata metadata;
  std::vector<regard::nn::NamedParameter> tensors;
  for (const auto& [name, tensor] : regard::nn::load_safetensors(directory.states.file(9), &metadata))
    tensors.push_back({name, tensor.clone()});
  metadata["version"] = "9.9";
  for (const char* const format : {"2", "4"}) {
    metadata["format"] = format;
    regard::nn::save_safetensors(directory.states.file(9), tensors, metadata);
    CHECK_ERROR(
        start(training, directory),
        fmt::format("has the state format {}, but this version of regard reads format 3; resume it with "
                    "regard 9.9",
                    format));
  }
}

TEST_CASE("a state of a training with another seed or other settings is refused", "[lost]") {
  SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model"), other(temporary / "other");
  train(training, directory, 5);
  const auto refused = [&](const auto& change) {
    SmallTraining changed = training;
    change(changed.settings);
    std::filesystem::remove_all(other.path());
    train(changed, other, 9);
    std::filesystem::copy(other.states.file(9), directory.states.file(9));
    const auto before = results(directory);
    const std::string message = MESSAGE_OF(start(training, directory));
    CHECK(results(directory) == before);
    std::filesystem::remove(directory.states.file(9));
    return message;
  };
  const std::string begins = directory.states.file(9) + " is the state of another training: ";
  CHECK_CONTAINS(refused([](Settings& s) { s.training.seed = 2; }),
                 begins + "training.seed is 2 there, and 1 in " + directory.config() +
                     "; move the files of the other training to another directory");
  CHECK_CONTAINS(refused([](Settings& s) { s.training.label_smoothing = 0; }),
                 begins + "training.label_smoothing is 0.0 there, and 0.1 in");
  // Settings that may change: it could be a state of the same training.
  CHECK_CONTAINS(refused([](Settings& s) { s.checkpoints.keep_last = 3; }), "no error was thrown");
}

TEST_CASE("damaged weights and checkpoints are treated as missing", "[lost]") {
  SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory undisturbed(temporary / "undisturbed"), directory(temporary / "model");
  train(training, undisturbed);
  train(training, directory);
  for (const Index step : directory.checkpoints.steps()) write(directory.checkpoints.file(step), "damaged");
  write(directory.weights(), "damaged");
  train(training, directory);  // no update is left, but a validation
  TranslationModel::load(directory.path());
  // The weights of a single step: without checkpoints there is no mean.
  CHECK(content(directory.weights()) ==
        content(directory.checkpoints.file(directory.checkpoints.steps().front())));
}

TEST_CASE("patience stays exhausted when the best weights are determined again", "[lost]") {
  SmallTraining training = training_that_goes_astray();
  training.settings.validation.patience = 3;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  train(training, directory);
  std::filesystem::remove(directory.weights());
  const Index step = train(training, directory);
  CHECK(step < 60);
  CHECK(directory.has_weights());
  const Training trainer = start(training, directory);
  CHECK(finished(trainer));
  CHECK(trainer.progress.step == step);
}

namespace {

/// Changes the progress in the newest state.
void change_progress(const ModelDirectory& directory, const std::function<void(Json&)>& change) {
  const std::string path = directory.states.file(directory.states.steps().front());
  regard::nn::Metadata metadata;
  std::vector<regard::nn::NamedParameter> tensors;
  for (const auto& [name, tensor] : regard::nn::load_safetensors(path, &metadata))
    tensors.push_back({name, tensor});
  Json progress = Json::parse(metadata.at("progress"));
  change(progress);
  metadata.at("progress") = progress.dump();
  regard::nn::save_safetensors(path, tensors, metadata);
}

}  // namespace

TEST_CASE("patience compares single steps, even if a mean of them is the best", "[lost]") {
  SmallTraining training;
  training.settings.training.epochs = 2;
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  Recording recording;
  {
    Training first = start(training, directory);
    run_training(first, recording);
  }
  // No step will reach the score of this mean of checkpoints.
  change_progress(directory, [](Json& progress) { progress.at("best").at("score") = 0.001; });
  training.settings.training.epochs = 5;
  Training rest = start(training, directory);
  run_training(rest, recording);
  double best = 1e9;
  Index since_best = 0;
  for (const ValidationReport& report : recording.validations) {
    const double loss = report.validation.evaluation.loss;
    since_best = loss < best ? 0 : since_best + 1;
    best = std::min(best, loss);
  }
  REQUIRE(since_best < 3);  // one of these steps was better than all before
  CHECK(rest.progress.best_validation == best);
  CHECK(rest.progress.without_best == since_best);
  CHECK(rest.progress.best->score == 0.001);
}

TEST_CASE("a state with more steps in its epoch than the epoch has is refused", "[lost]") {
  const SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  train(training, directory, 9);
  change_progress(directory, [](Json& progress) { progress.at("epoch_steps") = 9; });
  Training changed = start(training, directory);
  CHECK_ERROR(run_until(changed), "the state of step 9 has 9 steps in epoch");
}

TEST_CASE("a progress that no training can reach is refused", "[lost]") {
  Progress good;
  good.step = 9;
  good.kept = {{.step = 3}, {.step = 9}};
  const auto refusal = [&](const auto& change) {
    Progress progress = good;
    change(progress);
    return MESSAGE_OF(parse_progress(to_text(progress), "FILE"));
  };
  CHECK_CONTAINS(refusal([](Progress&) {}), "no error was thrown");
  const std::string impossible = "FILE: no training can reach this progress";
  CHECK(refusal([](Progress& p) { p.epoch_steps = -1; }) == impossible);
  CHECK(refusal([](Progress& p) { p.epoch = 0; }) == impossible);
  // Numbers with which sums overflow, or loops do not end.
  constexpr Index largest = std::numeric_limits<Index>::max();
  CHECK(refusal([](Progress& p) { p.epoch_steps = largest; }) == impossible);
  CHECK(refusal([](Progress& p) { p.epoch = largest; }) == impossible);
  CHECK(refusal([](Progress& p) { p.step = largest; }) == impossible);
  CHECK(refusal([](Progress& p) { p.tokens = largest; }) == impossible);
  CHECK(refusal([](Progress& p) { p.without_best = largest; }) == impossible);
  CHECK(refusal([](Progress& p) { p.window.steps = largest; }) == impossible);
  CHECK(refusal([](Progress& p) { p.seconds = 1e300; }) == impossible);
  CHECK(refusal([](Progress& p) { p.metrics_bytes = -1; }) == impossible);
  CHECK(refusal([](Progress& p) { p.kept.push_back({.step = 4}); }) == impossible);
  CHECK(refusal([](Progress& p) { p.kept.push_back({.step = 10}); }) == impossible);
  CHECK(refusal([](Progress& p) { p.validated_step = 10; }) == impossible);
}
