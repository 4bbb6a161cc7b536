#pragma once

#include <string>
#include <vector>

#include "transformer/model.h"

namespace regard::translation {

/// Copies weights into a model from a file, or from the weights.safetensors of a model directory. Throws
/// Error naming the file and the tensors that differ, and how.
void load_initial_weights(transformer::Transformer& model, const std::string& path);

/// Makes parameters stay as they are: those with one of these names, or inside a module of that name
/// ("encoder" is all "encoder.…"). Throws Error for a name that stands for no parameter.
void freeze(transformer::Transformer& model, const std::vector<std::string>& names);

}  // namespace regard::translation
