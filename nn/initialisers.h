#pragma once

#include "autograd/tensor.h"

namespace regard::inline REGARD_PRECISION::nn {

/// Uniform in ±sqrt(6 / (in + out)) for weight[out, in], so that neither values nor gradients grow from layer
/// to layer (Glorot and Bengio 2010, eq. 16).
Tensor xavier_uniform(std::int64_t out, std::int64_t in, Random& random);

/// Makes a tensor a parameter: something that training changes.
Tensor parameter(Tensor value);

}  // namespace regard::inline REGARD_PRECISION::nn
