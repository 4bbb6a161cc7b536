#pragma once

// What the tests of layers and models share. In double precision, where numbers can be compared closely.

#include <string>
#include <vector>

#include "nn/module.h"
#include "tests/tensors.h"

namespace regard::tests {

inline std::vector<std::string> names(nn::Module& module) {
  std::vector<std::string> result;
  for (const nn::NamedParameter& parameter : module.parameters()) result.push_back(parameter.name);
  return result;
}

inline std::vector<Tensor> tensors(nn::Module& module) {
  std::vector<Tensor> result;
  for (const nn::NamedParameter& parameter : module.parameters()) result.push_back(parameter.tensor);
  return result;
}

/// Copies of all parameters as they are now.
inline std::vector<Tensor> snapshot(nn::Module& module) {
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors(module)) result.push_back(tensor.clone());
  return result;
}

/// Moves every parameter away from where it starts: a bias of 0 or a norm's weight of 1 would hide mistakes.
inline void randomise(nn::Module& module, std::uint64_t seed, double amount = 0.3) {
  Random random(seed);
  for (const Tensor& tensor : tensors(module))
    for (Real& value : tensor.values()) value += random.uniform(-amount, amount);
}

}  // namespace regard::tests
