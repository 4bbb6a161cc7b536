#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/regard/commands.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/error.h"

namespace regard::program {

int run(const Inspect& command) {
  translation::TranslationModel model = translation::TranslationModel::load(command.model);
  std::cout << to_json(model.settings).dump(2) << "\n\n";
  fmt::print("{} source and {} target entries in the vocabulary{}\n\n", model.vocabularies.source.size(),
             model.vocabularies.target.size(), model.settings.data.joint_vocabulary ? ", joint" : "");
  fmt::print("{:<50} {:>16} {:>12}\n", "parameter", "shape", "size");
  for (const auto& [name, tensor] : model.model.parameters())
    fmt::print("{:<50} {:>16} {:>12}\n", name, to_string(tensor.shape()), tensor.size());
  fmt::print("{:<50} {:>16} {:>12}\n", "all", "", model.model.parameter_count());
  return 0;
}

}  // namespace regard::program
