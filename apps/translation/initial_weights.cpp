#include "apps/translation/initial_weights.h"

#include <filesystem>

#include "apps/translation/model_directory.h"
#include "autograd/error.h"
#include "nn/safetensors.h"

namespace regard::translation {

void load_initial_weights(transformer::Transformer& model, const std::string& path) {
  std::error_code none;
  nn::load_parameters(model,
                      std::filesystem::is_directory(path, none) ? ModelDirectory(path).weights() : path);
}

void freeze(transformer::Transformer& model, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    bool found = false;
    for (nn::NamedParameter& parameter : model.parameters()) {
      if (parameter.name != name && !parameter.name.starts_with(name + ".")) continue;
      parameter.tensor.set_requires_grad(false);
      found = true;
    }
    if (!found)
      fail(
          "training.freeze: there is no parameter {0} and none that begins with {0}.; regard inspect shows "
          "the "
          "names",
          name);
  }
}

}  // namespace regard::translation
