#pragma once

#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

// Activation functions, element by element.

/// max(0, x)
Tensor relu(const Tensor& x);
Tensor tanh(const Tensor& x);
/// 1 / (1 + e^-x)
Tensor sigmoid(const Tensor& x);
/// x Phi(x) with the normal distribution function Phi, not its tanh approximation (Hendrycks and Gimpel
/// 2016).
Tensor gelu(const Tensor& x);

}}  // namespace regard::REGARD_PRECISION
