#pragma once

#include "autograd/kernels/kernel.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// The numbers of one update by Adam (Kingma and Ba 2015, algorithm 1), with the decay of AdamW (Loshchilov
/// and Hutter 2019, algorithm 2).
struct AdamStep {
  Real beta1, beta2, epsilon;
  Real step_size;            ///< learning rate / (1 - beta1^t)
  Real inverse_correction2;  ///< 1 / sqrt(1 - beta2^t)
  Real gradient_scale;       ///< clipping
  Real kept;                 ///< 1 - learning rate * weight decay
};

/// Goes once over values, gradients and both moments, and leaves the gradients 0 for the next step:
///   m = beta1 m + (1-beta1) g,  v = beta2 v + (1-beta2) g^2,
///   x = kept x - step_size m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon).
REGARD_KERNEL(adam_step, Real* values, Real* gradients, Real* first_moments, Real* second_moments, Index size,
              AdamStep step);

/// x -= learning_rate g (+ momentum of earlier steps: v = momentum v + g, x -= learning_rate v); g = 0.
REGARD_KERNEL(sgd_step, Real* values, Real* gradients, Real* velocities, Index size, Real learning_rate,
              Real momentum, Real gradient_scale);

/// average += (1 - decay) (values - average)
REGARD_KERNEL(moving_average_step, Real* average, const Real* values, Index size, Real decay);

/// squares[block] = sum of x^2 over a block of block_size(size, 1) numbers (autograd/machine/cut.h).
REGARD_KERNEL(sums_of_squares, double* squares, const Real* x, Index size);

}}}  // namespace regard::REGARD_PRECISION::kernels
