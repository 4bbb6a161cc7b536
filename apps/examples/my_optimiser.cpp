// Trains a translator with an optimiser of its own (lion.h), stops in the middle, and resumes.
#include <iostream>
#include <memory>

#include "apps/translation/translation.h"
#include "lion.h"

using namespace regard::translation;

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: my_optimiser SOURCE TARGET MODEL_DIR\n";
    return 1;
  }
  Settings settings;
  settings.data.source = argv[1];
  settings.data.target = argv[2];
  settings.model.config = regard::transformer::preset("toy");
  settings.training.steps = 100;
  settings.training.batch_tokens = 500;
  settings.training.schedule = regard::nn::Schedule::constant;
  settings.training.learning_rate = 3e-4;
  const auto lion = [](const auto& parameters) { return std::make_unique<Lion>(parameters); };
  try {
    {
      Training begun = prepare_training(settings, argv[3], {.overwrite = true, .make_optimiser = lion});
      TrainingObserver nobody;
      run_training(begun, nobody, [&] { return begun.progress.step == 50; });
    }
    Training resumed = prepare_training(settings, argv[3], {.make_optimiser = lion});
    std::cout << "resumed at step " << resumed.progress.step << "\n";
    run_training(resumed);
    std::cout << "ended at step " << resumed.progress.step << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
