#include "apps/translation/training/initial_weights.h"

#include <filesystem>

#include "apps/translation/model/model_directory.h"
#include "autograd/error.h"

namespace regard::translation {

std::string initial_model(const Settings& settings) {
  std::error_code none;
  const std::string& path = settings.training.initial_weights;
  return std::filesystem::is_directory(path, none) ? path : std::string();
}

std::string initial_weights_file(const Settings& settings) {
  const std::string directory = initial_model(settings);
  return directory.empty() ? settings.training.initial_weights : ModelDirectory(directory).weights();
}

void freeze(nn::Module& model, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    bool found = false;
    for (nn::NamedParameter& parameter : model.parameters()) {
      if (parameter.name != name && !parameter.name.starts_with(name + ".")) continue;
      parameter.tensor.set_requires_grad(false);
      found = true;
    }
    if (!found)
      fail(
          "training.freeze: there is no parameter \"{0}\" and none that begins with \"{0}.\"; regard inspect "
          "shows the names",
          name);
  }
}

}  // namespace regard::translation
