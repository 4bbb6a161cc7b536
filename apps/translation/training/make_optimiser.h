#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "nn/module.h"
#include "nn/optimisers.h"

namespace regard::translation {

/// Makes parameters stay as they are: those with one of these names, or inside a module of that name
/// ("encoder" is all "encoder.…"). Throws Error for a name that stands for no parameter.
void freeze(nn::Module& model, const std::vector<std::string>& names);

/// The optimiser that the settings describe, for the parameters that are not frozen. Throws Error if all are.
std::unique_ptr<nn::Optimiser> make_optimiser(const TrainingSettings& settings, nn::Module& model);

}  // namespace regard::translation
