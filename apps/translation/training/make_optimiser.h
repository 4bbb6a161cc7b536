#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "nn/module.h"
#include "nn/optimisers.h"

namespace regard::translation {

/// Excludes parameters from the training: the parameters with one of these names, and the parameters of a
/// module with one of these names ("encoder" freezes every "encoder.…"). Throws Error for a name that no
/// parameter and no module has.
void freeze(nn::Module& model, const std::vector<std::string>& names);

/// Makes the optimiser that the settings describe, for the parameters that are not frozen. Throws Error if
/// all are frozen.
std::unique_ptr<nn::Optimiser> make_optimiser(const TrainingSettings& settings, nn::Module& model);

}  // namespace regard::translation
