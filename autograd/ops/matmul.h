#pragma once

#include "autograd/tensor.h"

namespace regard::inline REGARD_PRECISION {

/// Matrix product: [m, k] x [k, n] -> [m, n]. With more axes the leading ones count matrices, which must be
/// as many in both: [batch, m, k] x [batch, k, n]; or b is one matrix that serves all of a's.
/// Throws Error naming both shapes.
Tensor matmul(const Tensor& a, const Tensor& b);

/// y = x weight^T + bias, the layout of torch.nn.Linear: x[rows, in], weight[out, in], bias[out] (or empty).
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

/// y = dropout(max(0, x weight^T + bias)), each block of rows finished while it is in the cache: the first
/// half of the feed-forward network (Vaswani et al. 2017, eq. 2).
Tensor linear_relu(const Tensor& x, const Tensor& weight, const Tensor& bias, Dropout dropout = {});

}  // namespace regard::inline REGARD_PRECISION
