#pragma once

#include <memory>

#include "apps/translation/settings/settings.h"
#include "nn/module.h"
#include "nn/optimisers.h"

namespace regard::translation {

/// The optimiser that the settings describe, for the parameters that are not frozen. Throws Error if all are.
std::unique_ptr<nn::Optimiser> make_optimiser(const TrainingSettings& settings, nn::Module& model);

}  // namespace regard::translation
