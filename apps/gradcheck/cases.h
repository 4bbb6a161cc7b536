#pragma once

#include <string>
#include <vector>

#include "autograd/gradcheck.h"

namespace regard::gradcheck_table {

/// A function with inputs that test one of its code paths.
struct GradientCase {
  std::string name;  ///< "attention: causal"
  Differentiable function;
  std::vector<Tensor> inputs;
  std::vector<std::string> input_names = {};

  /// The part of the name before the colon: "attention".
  std::string op() const { return name.substr(0, name.find(':')); }
};

/// Cases for all operations of the engine. No input is at a kink. Each call makes new inputs.
std::vector<GradientCase> op_cases();

/// Cases for all layers. All parameters are inputs.
std::vector<GradientCase> layer_cases();

/// Cases for an encoder layer, a decoder layer and whole models, with dropout. All parameters are inputs.
std::vector<GradientCase> model_cases();

}  // namespace regard::gradcheck_table
