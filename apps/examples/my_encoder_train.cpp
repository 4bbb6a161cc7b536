// Trains the model of my_encoder.h on two files of sentences with the ordinary training, validates it on the
// same sentences, and translates the lines of standard input with beam search.
#include <iostream>
#include <string>

#include "apps/translation/translation.h"
#include "my_encoder.h"

using namespace regard::translation;

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: my_encoder_train SOURCE TARGET MODEL_DIR < sentences\n";
    return 1;
  }
  Settings settings;  // or load_settings("settings.json")
  settings.data.source = settings.data.validation_source = argv[1];
  settings.data.target = settings.data.validation_target = argv[2];
  settings.model.own = "my_encoder";  // regard refuses to load this model without the function below
  settings.model.config.d_model = 32;
  settings.training.steps = 300;
  settings.training.batch_tokens = 500;
  settings.training.schedule = regard::nn::Schedule::constant;
  settings.training.learning_rate = 0.005;
  const MakeModel make = [](const Settings& of_model, const Vocabularies& words, regard::Random random) {
    return regard::make_my_model(words.source.size(), words.target.size(), of_model.model.config.d_model,
                                 random);
  };
  try {
    Training training = prepare_training(settings, argv[3], {.overwrite = true, .make_model = make});
    run_training(training);
    Translator translator = Translator::load(argv[3], {.make_model = make});
    for (std::string line; std::getline(std::cin, line);)
      std::cout << translator.translate({line}, {.beam = 5}).front().n_best.front().text << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
