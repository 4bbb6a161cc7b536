#pragma once

#include <cstdint>

#include "autograd/kernels/kernel.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// to = x, or to += x: passes a gradient on unchanged.
REGARD_KERNEL(accumulate, GradSlot to, const Real* x, Index size);
/// to = factor x, or to += factor x.
REGARD_KERNEL(accumulate_scaled, GradSlot to, const Real* x, Real factor, Index size);

/// y += bias, in place, for a block of the matrix.
REGARD_KERNEL(add_bias, Matrix y, const Real* bias, MatrixBlock block);
/// y = dropout(max(0, y + bias)), in place, for a block of the matrix.
REGARD_KERNEL(add_bias_relu, Matrix y, const Real* bias, MatrixBlock block, DropoutMask dropout);
/// dx = dy / (1-p) where y > 0, else 0: an element that the dropout or the ReLU set to 0 gets no gradient.
/// In place on dy.
REGARD_KERNEL(relu_dropout_backward, Real* dy, const Real* y, Real keep_scale, Index size);
/// z += bias, in place, and y = dropout(f(z)), for a block of the matrices, which may be the same. The
/// activation f is GELU or SiLU, see below.
REGARD_KERNEL(add_bias_gelu, Matrix y, Matrix z, const Real* bias, MatrixBlock block, DropoutMask dropout);
REGARD_KERNEL(add_bias_silu, Matrix y, Matrix z, const Real* bias, MatrixBlock block, DropoutMask dropout);
/// dz = dy dropout f'(z), in place on dy. The dropout is drawn again.
REGARD_KERNEL(gelu_dropout_backward, Real* dy, const Real* z, Index rows, Index columns, DropoutMask dropout);
REGARD_KERNEL(silu_dropout_backward, Real* dy, const Real* z, Index rows, Index columns, DropoutMask dropout);
/// sums[column] = sum over rows of x[rows, columns]: the gradient of a bias.
REGARD_KERNEL(column_sums, GradSlot sums, const Real* x, Index rows, Index columns);

/// y = x factor, factor = 0 with the dropout's probability p, else 1/(1-p). Its own backward.
REGARD_KERNEL(dropout_forward, GradSlot y, const Real* x, Index rows, Index columns, DropoutMask dropout);

/// y[row] = scale * x[indices[row]] for rows of `columns` numbers.
REGARD_KERNEL(gather_rows_forward, Real* y, const Real* x, const std::int32_t* indices, Index rows,
              Index columns, Real scale);
/// dx[indices[row]] += scale * dy[row], in the order of the rows.
REGARD_KERNEL(gather_rows_backward, Real* dx, const Real* dy, const std::int32_t* indices, Index rows,
              Index columns, Real scale);

// Activation functions.

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

/// y = x s(x), with the sigmoid s
REGARD_KERNEL(silu_forward, Real* y, const Real* x, Index size);
/// dx = dy s(x) (1 + x (1 - s(x)))
REGARD_KERNEL(silu_backward, GradSlot dx, const Real* dy, const Real* x, Index size);

}}}  // namespace regard::REGARD_PRECISION::kernels
