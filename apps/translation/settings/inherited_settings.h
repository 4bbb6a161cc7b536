#pragma once

#include <string>
#include <vector>

#include "apps/translation/files/json.h"
#include "apps/translation/settings/settings.h"

namespace regard::translation {

// A training that begins with a model directory (training.initial_weights) inherits the settings of that
// model: the section `model`, and the tokeniser, vocabulary and subwords of `data`. The configuration may
// give other values for dropout and for the sampling of subwords. The other inherited settings must be equal,
// or the weights and vocabularies do not fit.

/// Adds to a configuration each inherited setting that it does not give. If it gives another preset than the
/// model's, that preset gives the section `model`.
void inherit(Json& configuration, const Settings& of_model);

/// Returns the inherited settings that must be equal but differ, each as "model.d_model is 64 there and 128
/// here". "There" is the model.
std::vector<std::string> contradictions(const Settings& settings, const Settings& of_model);

/// Throws Error that names all contradictions with the model in this directory.
void check_inherited(const Settings& settings, const Settings& of_model, const std::string& directory);

}  // namespace regard::translation
