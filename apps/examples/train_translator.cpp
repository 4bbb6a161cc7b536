// Trains a translator on two files of sentences, one per line, and writes the model directory.
#include <iostream>

#include "apps/translation/translation.h"

using namespace regard::translation;

struct PrintSteps : TrainingObserver {
  void on_step(const StepReport& report) override {
    if (report.line_due) std::cout << "step " << report.step << "\n";
  }
};

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: train_translator SOURCE TARGET MODEL_DIR\n";
    return 1;
  }
  Settings settings;  // or load_settings("settings.json")
  settings.data.source = argv[1];
  settings.data.target = argv[2];
  settings.model.config = regard::transformer::preset("toy");
  settings.training.steps = 60;
  settings.training.batch_tokens = 500;
  settings.training.warmup_steps = 20;
  settings.training.log_every = 20;
  try {
    Training training = prepare_training(settings, argv[3], {.overwrite = true});
    PrintSteps progress;
    run_training(training, progress);
    std::cout << training.model->parameter_count() << " parameters in " << argv[3] << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
