#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/checks/cases.h"
#include "nn/module.h"

namespace regard::gradcheck_table {

/// Adds a case with inputs of these shapes and all parameters of the module that `make` returns as a shared
/// pointer. The parameters move by up to `distance` away from values such as 0 or 1, which would hide
/// mistakes. `function` computes a tensor from the module and the inputs.
template <class Make, class Function>
void add_module(std::vector<GradientCase>& cases, const std::string& name, const std::vector<Shape>& shapes,
                const Make& make, const Function& function, double distance = 0.2) {
  Random random = random_of(name);
  const auto module = make(random);
  GradientCase check{name, [=](Inputs x) {
                       module->set_random(1, 1);
                       return function(*module, x);
                     }};
  for (const Shape& shape : shapes) {
    check.input_names.push_back(fmt::format("x{}", check.inputs.size()));
    check.inputs.push_back(Tensor::normal(shape, 0, 1, random));
  }
  for (const nn::NamedParameter& parameter : module->parameters()) {
    for (Real& value : parameter.tensor.values())
      value += static_cast<Real>(random.uniform(-distance, distance));
    check.inputs.push_back(parameter.tensor);
    check.input_names.push_back(parameter.name);
  }
  cases.push_back(std::move(check));
}

/// Returns a function that makes a module of this class from the arguments and random numbers.
template <class Module, class... Arguments>
auto made(Arguments... arguments) {
  return [=](Random& random) { return std::make_shared<Module>(arguments..., random); };
}

/// Cases for all layers.
std::vector<GradientCase> layer_cases();

/// Cases for an encoder layer, a decoder layer and whole models, with dropout.
std::vector<GradientCase> model_cases();

}  // namespace regard::gradcheck_table
