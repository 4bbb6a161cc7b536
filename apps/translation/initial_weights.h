#pragma once

#include <string>
#include <vector>

#include "apps/translation/settings.h"
#include "transformer/model.h"

namespace regard::translation {

/// training.initial_weights, if that is a model directory; otherwise empty. Rows of its embeddings belong to
/// its tokens, so with the weights go its vocabularies.
std::string initial_model(const Settings& settings);

/// Copies weights into a model from the file training.initial_weights, or from the weights.safetensors of
/// that model directory. Throws Error naming the file and the tensors that differ, and how; or if some of the
/// values are no numbers.
void load_initial_weights(transformer::Transformer& model, const Settings& settings);

/// Makes parameters stay as they are: those with one of these names, or inside a module of that name
/// ("encoder" is all "encoder.…"). Throws Error for a name that stands for no parameter.
void freeze(transformer::Transformer& model, const std::vector<std::string>& names);

}  // namespace regard::translation
