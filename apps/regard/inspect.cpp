#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/regard/commands.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/settings/settings_json.h"

namespace regard::program {

namespace {

struct Inspect {
  std::string model;
};

int run(const Inspect& inspect) {
  translation::TranslationModel model = translation::TranslationModel::load(inspect.model);
  std::cout << to_json(model.settings).dump(2) << "\n\n";
  fmt::print("{} source and {} target entries in the vocabulary{}\n\n", model.vocabularies.source.size(),
             model.vocabularies.target.size(), model.settings.data.joint_vocabulary ? ", joint" : "");
  fmt::print("{:<50} {:>16} {:>12}\n", "parameter", "shape", "size");
  for (const auto& [name, tensor] : model.model.parameters())
    fmt::print("{:<50} {:>16} {:>12}\n", name, to_string(tensor.shape()), tensor.size());
  fmt::print("{:<50} {:>16} {:>12}\n", "all", "", model.model.parameter_count());
  return 0;
}

}  // namespace

void add_inspect(const Command& program) {
  const auto inspect = std::make_shared<Inspect>();
  const Command command = program.add("inspect", "Show a model's configuration and parameters");
  command.option("MODEL_DIR", inspect->model, "Directory that regard train wrote").required();
  command.footer("Example:\n  regard inspect build/model");
  command.action([inspect] { return run(*inspect); });
}

}  // namespace regard::program
