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

/// The activations: y = f(x), and dx = dy f'(x), which is computed from y or from x.
enum class Activation {
  relu,     ///< y = max(0, x); dx = 0 where y <= 0, else dy
  tanh,     ///< y = tanh x; dx = dy (1 - y^2)
  sigmoid,  ///< y = s(x) = 1 / (1 + e^-x); dx = dy y (1 - y)
  gelu,     ///< y = x Phi(x), Phi: normal distribution function; dx = dy (Phi(x) + x phi(x)), phi: density
  silu      ///< y = x s(x); dx = dy s(x) (1 + x (1 - s(x)))
};
/// What the backward reads: y of relu, tanh and sigmoid, x of gelu and silu.
static constexpr bool reads_output(Activation f) { return f <= Activation::sigmoid; }

/// y = f(x)
REGARD_KERNEL(activation_forward, Activation f, Real* y, const Real* x, Index size);
/// dx = dy f'(x) from what the backward reads.
REGARD_KERNEL(activation_backward, Activation f, GradSlot dx, const Real* dy, const Real* saved, Index size);
/// y = dropout(f(z + bias)) for a block of the matrices, which may be the same. If the backward reads the
/// input of f, it stays in z.
REGARD_KERNEL(add_bias_activation, Activation f, Matrix y, Matrix z, const Real* bias, MatrixBlock block,
              DropoutMask dropout);
/// dz = dy dropout f'(z), in place on dy, from z, for an f whose backward reads its input. The dropout is
/// drawn again.
REGARD_KERNEL(activation_dropout_backward, Activation f, Real* dy, const Real* z, Index rows, Index columns,
              DropoutMask dropout);
/// The same for a block of relu, from y after dropout: dz = dy / (1-p) where y > 0, else 0. An element that
/// the dropout or the ReLU set to 0 gets no gradient.
REGARD_KERNEL(relu_dropout_backward, Real* dy, const Real* y, Real keep_scale, Index size);

}}}  // namespace regard::REGARD_PRECISION::kernels
