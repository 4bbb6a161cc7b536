#pragma once

#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

/// y = x weight^T + bias, the layout of torch.nn.Linear: x[rows, in], weight[out, in], bias[out] (or empty).
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

/// y = dropout(max(0, x weight^T + bias)): the first half of the feed-forward network (Vaswani et al. 2017,
/// eq. 2). Bias, ReLU and dropout are applied to each block of rows while it is in the cache.
Tensor linear_relu(const Tensor& x, const Tensor& weight, const Tensor& bias, Dropout dropout = {});

}}  // namespace regard::REGARD_PRECISION
