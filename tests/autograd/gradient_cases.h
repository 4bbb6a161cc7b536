#pragma once

#include <string>
#include <vector>

#include "autograd/gradcheck.h"

namespace regard::tests {

/// One operation on inputs that bring out one of its ways to work.
struct GradientCase {
  std::string name;  ///< "attention: causal"
  Differentiable function;
  std::vector<Tensor> inputs;

  /// The operation alone: "attention".
  std::string op() const { return name.substr(0, name.find(':')); }
};

/// Every operation of the engine. No input lies at a kink. The inputs are new with each call.
std::vector<GradientCase> gradient_cases();

}  // namespace regard::tests
