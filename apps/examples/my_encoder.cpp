// All commands of regard for the model of my_encoder.h: it is trained, translates, and is shown.
#include "my_encoder.h"

#include "apps/regard/program.h"

using namespace regard::translation;

int main(int argc, char** argv) {
  const MakeModel make = [](const Settings& settings, const Vocabularies& words, regard::Random random) {
    return regard::make_my_model(words.source.size(), words.target.size(), settings.model.config.d_model,
                                 random);
  };
  return regard::program::run_program(argc, argv, make);
}
