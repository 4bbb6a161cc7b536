#pragma once

#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

/// Matrix product: [m, k] x [k, n] -> [m, n]. Leading axes, if there are more than two axes, count matrices
/// and must be equal in both: [batch, m, k] x [batch, k, n]. Or b is one matrix, by which all of a's are
/// multiplied. Throws Error naming both shapes.
Tensor matmul(const Tensor& a, const Tensor& b);

}}  // namespace regard::REGARD_PRECISION
