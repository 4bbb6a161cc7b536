#include "apps/translation/training/make_optimiser.h"

#include <vector>

#include "autograd/error.h"

namespace regard::translation {

std::unique_ptr<nn::Optimiser> make_optimiser(const TrainingSettings& settings, nn::Module& model) {
  std::vector<nn::NamedParameter> parameters = model.parameters();
  std::erase_if(parameters, [](const auto& parameter) { return !parameter.tensor.requires_grad(); });
  if (parameters.empty()) fail("training.freeze freezes all parameters, so there is nothing to train");
  switch (settings.optimiser) {
    case OptimiserKind::sgd:
      return std::make_unique<nn::Sgd>(parameters, settings.momentum);
    case OptimiserKind::adam:
      return std::make_unique<nn::Adam>(
          parameters,
          nn::Adam::Settings{.beta1 = settings.beta1, .beta2 = settings.beta2, .epsilon = settings.epsilon});
  }
  fail("make_optimiser: there is no optimiser of kind {}", static_cast<int>(settings.optimiser));
}

}  // namespace regard::translation
