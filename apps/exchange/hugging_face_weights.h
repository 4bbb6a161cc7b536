#pragma once

#include <memory>
#include <string>

#include "nn/stored_numbers.h"

namespace regard::exchange {

/// The weights in a directory of Hugging Face: model.safetensors, pytorch_model.bin, or several such files
/// with an index that says which tensor is in which. Throws Error that names the file and its fault.
std::unique_ptr<nn::TensorFile> weights_of(const std::string& directory);

}  // namespace regard::exchange
