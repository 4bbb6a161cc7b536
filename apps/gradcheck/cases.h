#pragma once

#include <string>
#include <vector>

#include "autograd/gradcheck.h"

namespace regard::gradcheck_table {

/// A function, and inputs that bring out one of its ways to work.
struct GradientCase {
  std::string name;  ///< "attention: causal"
  Differentiable function;
  std::vector<Tensor> inputs;
  std::vector<std::string> input_names = {};

  /// What is checked, alone: "attention".
  std::string op() const { return name.substr(0, name.find(':')); }
};

/// Every operation of the engine. No input lies at a kink. The inputs are new with each call.
std::vector<GradientCase> op_cases();

/// Every layer, with all its parameters as inputs.
std::vector<GradientCase> layer_cases();

/// An encoder layer, a decoder layer and whole models, with dropout, and all parameters as inputs.
std::vector<GradientCase> model_cases();

}  // namespace regard::gradcheck_table
