#pragma once

#include <memory>

#include "apps/translation/settings/settings.h"
#include "nn/module.h"
#include "nn/optimisers.h"

namespace regard::translation {

/// Makes the optimiser that the settings describe, for the parameters that are not frozen. Throws Error if
/// all are frozen.
std::unique_ptr<nn::Optimiser> make_optimiser(const TrainingSettings& settings, nn::Module& model);

}  // namespace regard::translation
