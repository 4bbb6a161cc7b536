#pragma once

#include <string>

#include "apps/translation/settings/settings.h"

namespace regard::translation {

/// Returns training.initial_weights if it is a model directory; otherwise an empty path. The rows of its
/// embeddings belong to its tokens, so a training that takes its weights also takes its vocabularies.
std::string initial_model(const Settings& settings);

/// Returns the file of the weights that a training begins with: training.initial_weights itself, or
/// weights.safetensors in that model directory. The path is empty if the training begins with random weights.
std::string initial_weights_file(const Settings& settings);

}  // namespace regard::translation
