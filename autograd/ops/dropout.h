#pragma once

#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

/// Sets each value to 0 with the given probability p and scales the others by 1/(1-p)
/// (Srivastava et al. 2014). All axes but the last count as rows of the random decision.
Tensor dropout(const Tensor& x, Dropout dropout);

/// Throws Error naming `op` unless the probability is at least 0 and below 1. Every operation with a dropout
/// calls it.
void check_dropout(const Operation& op, Dropout dropout);

/// x + dropout(sublayer): the end of a pre-norm sublayer.
Tensor residual_dropout(const Tensor& x, const Tensor& sublayer, Dropout dropout);

}}  // namespace regard::REGARD_PRECISION
