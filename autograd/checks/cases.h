#pragma once

#include <string>
#include <vector>

#include "autograd/gradcheck.h"
#include "autograd/machine/random.h"

namespace regard::gradcheck_table {

using Inputs = const std::vector<Tensor>&;

/// A function with inputs that test one of its code paths.
struct GradientCase {
  std::string name;  ///< "attention: causal"
  Differentiable function;
  std::vector<Tensor> inputs = {};
  std::vector<std::string> input_names = {};

  /// The part of the name before the colon: "attention".
  std::string op() const { return name.substr(0, name.find(':')); }
};

/// The random numbers of a case. They depend on its name alone, so a new case changes no other one.
Random random_of(const std::string& name);

/// Cases for all operations of the engine (autograd/ops). No input is at a kink. Each call makes new inputs.
std::vector<GradientCase> op_cases();

}  // namespace regard::gradcheck_table
