#pragma once

#include <cstdint>
#include <vector>

#include "autograd/index.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

/// Softmax over the last axis: y_i = e^(x_i) / sum_j e^(x_j).
Tensor softmax(const Tensor& x);
/// log(softmax(x)) over the last axis, without overflow.
Tensor log_softmax(const Tensor& x);

/// The part of each row of logits that a search needs.
struct LargestLogits {
  Index count;                          ///< how many of each row
  std::vector<Real> logits;             ///< [rows, count], largest first, equal ones by column
  std::vector<std::int32_t> positions;  ///< [rows, count]: their columns
  std::vector<Real> log_sum_exp;        ///< [rows]: a logit minus this is log(softmax)
};

/// The `count` largest logits of each row of [rows, columns], or all if there are fewer columns, without
/// computing the softmax of the others. Has no gradient. Throws Error unless count is at least 1, and
/// NotFinite for a row that holds a number that is not finite.
LargestLogits largest_logits(const Tensor& x, Index count);

}}  // namespace regard::REGARD_PRECISION
