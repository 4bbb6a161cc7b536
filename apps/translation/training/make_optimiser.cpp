#include "apps/translation/training/make_optimiser.h"

#include "autograd/error.h"

namespace regard::translation {

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
          "training.freeze: there is no parameter \"{0}\", and no name of a parameter begins with \"{0}.\"; "
          "regard inspect shows the names",
          name);
  }
}

std::unique_ptr<nn::Optimiser> make_optimiser(const TrainingSettings& settings, nn::Module& model) {
  std::vector<nn::NamedParameter> parameters = model.parameters();
  std::erase_if(parameters, [](const auto& parameter) { return !parameter.tensor.requires_grad(); });
  if (parameters.empty()) fail("training.freeze freezes all parameters, so there is nothing to train");
  if (settings.optimiser == Optimiser::sgd) return std::make_unique<nn::Sgd>(parameters, settings.momentum);
  return std::make_unique<nn::Adam>(
      parameters,
      nn::Adam::Settings{.beta1 = settings.beta1, .beta2 = settings.beta2, .epsilon = settings.epsilon});
}

}  // namespace regard::translation
