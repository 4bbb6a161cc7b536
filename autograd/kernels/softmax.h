#pragma once

#include <cstdint>

#include "autograd/kernels/kernel.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// y_i = e^(x_i) / sum_j e^(x_j) for each row of x[rows, columns].
REGARD_KERNEL(softmax_forward, Real* y, const Real* x, Index rows, Index columns);
/// dx = y (dy - sum_j dy_j y_j)
REGARD_KERNEL(softmax_backward, GradSlot dx, const Real* dy, const Real* y, Index rows, Index columns);

/// y_i = x_i - log sum_j e^(x_j) for each row of x[rows, columns].
REGARD_KERNEL(log_softmax_forward, Real* y, const Real* x, Index rows, Index columns);
/// dx = dy - e^y sum_j dy_j
REGARD_KERNEL(log_softmax_backward, GradSlot dx, const Real* dy, const Real* y, Index rows, Index columns);

/// The `count` largest of each row of x[rows, columns], largest first, equal ones in the order of their
/// columns; and log sum_j e^(x_j) of the whole row. count <= columns. If a row holds a NaN, its log-sum-exp
/// is NaN and its largest are undefined.
struct Largest {
  Real* values;             ///< [rows, count]
  std::int32_t* positions;  ///< [rows, count]: their columns
  Real* log_sum_exp;        ///< [rows]
  Index count;
};
REGARD_KERNEL(largest_of_rows, Largest largest, const Real* x, Index rows, Index columns);

/// Softmax cross-entropy with label smoothing eps (Szegedy et al. 2016, as PyTorch defines it): the target
/// distribution is q = (1 - eps) onehot + eps / V, the loss of a row is -sum_i q_i log softmax(x)_i, weighted
/// by `weight`. Writes losses[rows] and, where `gradient`, replaces each row of logits by its gradient weight
/// (softmax(x) - q). log_probabilities[rows] receives log softmax(x)_target, unless it is null.
struct CrossEntropy {
  const std::int32_t* targets;
  Real label_smoothing;
  Real weight;
  bool gradient;
  Real* log_probabilities = nullptr;
};
REGARD_KERNEL(cross_entropy_rows, Real* losses, Real* logits, Index rows, Index columns,
              CrossEntropy settings);

}}}  // namespace regard::REGARD_PRECISION::kernels
