#pragma once

#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

/// Matrix product: [m, k] x [k, n] -> [m, n]. With more axes the leading ones count matrices, which must be
/// as many in both: [batch, m, k] x [batch, k, n]; or b is one matrix that serves all of a's.
/// Throws Error naming both shapes.
Tensor matmul(const Tensor& a, const Tensor& b);

}}  // namespace regard::REGARD_PRECISION
