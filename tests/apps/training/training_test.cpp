// The installed surface: settings made by a program, a training, a translator.
#include "apps/translation/training/training.h"

#include "apps/translation/files/files.h"
#include "apps/translation/training/progress.h"
#include "apps/translation/translator/translator.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;

namespace {

/// Copies words; six steps of a small model.
Settings small_settings(const TemporaryDirectory& directory) {
  write_file(directory / "text", "a b\nb c d\nc a\nd d a b\n");
  Settings settings;
  settings.data.source = settings.data.target = directory / "text";
  settings.model.config = {.d_model = 8, .heads = 2, .d_ff = 8, .encoder_layers = 1, .decoder_layers = 1};
  settings.training.steps = 6;
  settings.training.threads = 1;
  return settings;
}

struct NewestStep : TrainingObserver {
  void on_step(const StepReport& report) override { last = report.step; }
  Index last = 0;
};

}  // namespace

TEST_CASE("a training from settings leaves a model that translates", "[training]") {
  const TemporaryDirectory directory;
  const Settings settings = small_settings(directory);
  {
    Training training = prepare_training(settings, directory / "model");
    CHECK_FALSE(training.resumed);
    CHECK(run_training(training));
    CHECK(finished(training));
    CHECK(training.progress.step == 6);
    CHECK_ERROR(prepare_training(settings, directory / "model"),
                "another process");  // the directory is locked
  }
  Translator translator = Translator::load(directory / "model");
  CHECK(translator.decoding().beam == settings.decoding.beam);
  CHECK(translator.translate({"a b"}).front().n_best.front().score.has_value());
}

TEST_CASE("a training is stopped, resumed, and overwritten", "[training]") {
  const TemporaryDirectory directory;
  const Settings settings = small_settings(directory);
  NewestStep steps;
  {
    Training training = prepare_training(settings, directory / "model");
    CHECK_FALSE(run_training(training, steps, [&] { return steps.last == 2; }));
  }
  {
    Training training = prepare_training(settings, directory / "model");
    CHECK(training.resumed);
    CHECK(training.progress.step == 2);
    CHECK(run_training(training, steps));
    CHECK(steps.last == 6);
  }
  const Training anew = prepare_training(settings, directory / "model", {.overwrite = true});
  CHECK_FALSE(anew.resumed);
  CHECK(anew.progress.step == 0);
}

TEST_CASE("settings that a program made are checked as those of a file", "[training]") {
  const TemporaryDirectory directory;
  Settings settings = small_settings(directory);
  settings.training.label_smoothing = 1.5;
  CHECK_ERROR(prepare_training(settings, directory / "model"), "training.label_smoothing");
  settings = small_settings(directory);
  settings.data.target = "";
  CHECK_ERROR(prepare_training(settings, directory / "model"),
              "data.source is given, but data.target is not");
}

TEST_CASE("settings of a program that contradict the model of the initial weights are refused",
          "[training]") {
  const TemporaryDirectory directory;
  Settings settings = small_settings(directory);
  {
    Training training = prepare_training(settings, directory / "model");
    run_training(training);
  }
  settings.training.initial_weights = directory / "model";
  const auto refused = [&](auto change) {
    Settings changed = settings;
    change(changed);
    return MESSAGE_OF(prepare_training(changed, directory / "other"));
  };
  CHECK_CONTAINS(refused([](Settings& s) { s.model.config.d_ff = 16; }),
                 "has other settings: model.d_ff is 8 there and 16 here; leave them out");
  CHECK_CONTAINS(refused([](Settings& s) { s.data.tokeniser = "char"; }),
                 "data.tokeniser is \"word\" there and \"char\" here");
  CHECK_CONTAINS(refused([](Settings& s) { s.data.minimum_frequency = 2; }),
                 "data.minimum_frequency is 1 there and 2 here");
  CHECK_FALSE(std::filesystem::exists(directory / "other"));
  CHECK_CONTAINS(refused([](Settings& s) { s.model.config.dropout.attention = 0.5; }), "no error was thrown");
}
