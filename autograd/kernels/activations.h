#pragma once

#include "autograd/index.h"
#include "autograd/kernels/kernel.h"

// Activation functions, element by element.

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// y = max(0, x)
REGARD_KERNEL(relu_forward, Real* y, const Real* x, Index size);
/// dx = dy where y > 0, else 0.
REGARD_KERNEL(relu_backward, GradSlot dx, const Real* dy, const Real* y, Index size);

/// y = tanh x
REGARD_KERNEL(tanh_forward, Real* y, const Real* x, Index size);
/// dx = dy (1 - y^2)
REGARD_KERNEL(tanh_backward, GradSlot dx, const Real* dy, const Real* y, Index size);

/// y = 1 / (1 + e^-x)
REGARD_KERNEL(sigmoid_forward, Real* y, const Real* x, Index size);
/// dx = dy y (1 - y)
REGARD_KERNEL(sigmoid_backward, GradSlot dx, const Real* dy, const Real* y, Index size);

/// y = x Phi(x), with the normal distribution function Phi
REGARD_KERNEL(gelu_forward, Real* y, const Real* x, Index size);
/// dx = dy (Phi(x) + x phi(x)), with the density phi(x) = e^(-x^2/2) / sqrt(2 pi)
REGARD_KERNEL(gelu_backward, GradSlot dx, const Real* dy, const Real* x, Index size);

}}}  // namespace regard::REGARD_PRECISION::kernels
