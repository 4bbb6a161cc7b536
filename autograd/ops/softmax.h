#pragma once

#include "autograd/tensor.h"

namespace regard::inline REGARD_PRECISION {

/// Softmax over the last axis: y_i = e^(x_i) / sum_j e^(x_j).
Tensor softmax(const Tensor& x);
/// log(softmax(x)) over the last axis, without overflow.
Tensor log_softmax(const Tensor& x);

}  // namespace regard::inline REGARD_PRECISION
