#pragma once

#include <string>

#include "apps/translation/settings/settings.h"

namespace regard::translation {

/// training.initial_weights, if that is a model directory; otherwise empty. Rows of its embeddings belong to
/// its tokens, so with the weights go its vocabularies.
std::string initial_model(const Settings& settings);

/// The file of the weights with which a training begins: training.initial_weights itself, or the
/// weights.safetensors of that model directory; empty if it begins with random ones.
std::string initial_weights_file(const Settings& settings);

}  // namespace regard::translation
