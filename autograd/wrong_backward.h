#pragma once

#include <string>
#include <vector>

#include "autograd/gradcheck.h"

namespace regard { inline namespace REGARD_PRECISION {

/// The operation whose backward makes the gradient of `input` wrong, which is one of `inputs`, under this
/// cotangent: "layer_norm". If several operations read the first tensor with a wrong gradient, all of them:
/// "add or layer_norm". gradcheck calls it when it has found a wrong gradient.
std::string operation_with_wrong_backward(const Differentiable& function, const std::vector<Tensor>& inputs,
                                          const Tensor& input, const Tensor& cotangent);

}}  // namespace regard::REGARD_PRECISION
