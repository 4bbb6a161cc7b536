#pragma once

#include <map>
#include <string>

#include "autograd/tensor.h"

namespace regard::tests {

/// All tensors of a safetensors file of doubles in tests/fixtures: 8 bytes, little-endian, with the length of
/// a JSON header that says name, shape and place of each tensor; then the numbers.
std::map<std::string, Tensor> read_fixture(const std::string& name);

}  // namespace regard::tests
