#pragma once

#include "autograd/kernels/kernel.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// sum = x + dropout(sublayer); y = (sum - mean) / sqrt(variance + epsilon) * weight + bias for each row of
/// [rows, columns] (Ba et al. 2016, eq. 4; the variance divides by `columns`). `sublayer` may be null: then
/// x itself is normalised. `statistics` [2, rows] receives the mean and 1/deviation of each row, for the
/// backward.
REGARD_KERNEL(layer_norm_forward, Real* y, Real* sum, Real* statistics, const Real* x, const Real* sublayer,
              const Real* weight, const Real* bias, Index rows, Index columns, Real epsilon,
              DropoutMask dropout);

/// With xhat = (sum - mean) / deviation and g = dy weight:
///   dsum = (g - mean(g) - xhat mean(g xhat)) / deviation.
/// dx receives dsum and dsublayer receives dsum under the forward's dropout; either may be empty.
REGARD_KERNEL(layer_norm_backward, GradSlot dx, GradSlot dsublayer, const Real* dy, const Real* sum,
              const Real* statistics, const Real* weight, Index rows, Index columns, DropoutMask dropout);

/// dweight = sum over rows of dy xhat, dbias = sum over rows of dy; either may be empty.
REGARD_KERNEL(layer_norm_parameters_backward, GradSlot dweight, GradSlot dbias, const Real* dy,
              const Real* sum, const Real* statistics, Index rows, Index columns);

}}}  // namespace regard::REGARD_PRECISION::kernels
