#pragma once

#include <cstdint>
#include <span>

#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

/// Rows of weight[vocabulary, d_model], one for each id, times `scale` (Vaswani et al. 2017 section 3.4
/// multiplies by sqrt(d_model)). Throws Error for an id outside the vocabulary.
Tensor embedding(const Tensor& weight, std::span<const std::int32_t> ids, Real scale = 1);

}}  // namespace regard::REGARD_PRECISION
