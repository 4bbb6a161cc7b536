#pragma once

#include "autograd/index.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Uniform in ±sqrt(6 / (in + out)) for weight[out, in], so that neither values nor gradients grow from layer
/// to layer (Glorot and Bengio 2010, eq. 16).
Tensor xavier_uniform(Index out, Index in, Random& random);

/// Makes a tensor a parameter: something that training changes.
Tensor parameter(Tensor value);

}}}  // namespace regard::REGARD_PRECISION::nn
