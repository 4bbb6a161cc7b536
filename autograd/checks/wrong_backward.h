#pragma once

#include <string>
#include <vector>

#include "autograd/gradcheck.h"

namespace regard { inline namespace REGARD_PRECISION {

/// sum_i a_i b_i, exact enough that its rounding does not look like a slope of a function.
double dot(const Tensor& a, const Tensor& b);

/// The operation whose backward makes the gradient of `input` wrong, which is one of `inputs`, under this
/// cotangent: "layer_norm". If several operations read the first tensor with a wrong gradient, all of them:
/// "add or layer_norm". Results move along directions from `random`. gradcheck calls it when it has found a
/// wrong gradient.
std::string operation_with_wrong_backward(const Differentiable& function, const std::vector<Tensor>& inputs,
                                          const Tensor& input, const Tensor& cotangent, Random& random);

}}  // namespace regard::REGARD_PRECISION
