#pragma once

#include <cstdint>
#include <vector>

#include "autograd/random.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

// Both functions choose one position of each row, where a row is the last axis of x. They return the
// positions of all rows in order and have no gradient.

/// The position of the largest value of each row; of equal values, the first. Throws Error if a row has no
/// values, and NotFinite for NaN.
std::vector<std::int32_t> argmax(const Tensor& x);

/// Draws a position of each row with a probability proportional to its value, like torch.multinomial with one
/// sample per row: multinomial(softmax(logits / temperature), random) draws from logits. Throws Error for a
/// negative value and for a row without a positive value, and NotFinite for NaN and infinity.
std::vector<std::int32_t> multinomial(const Tensor& x, Random& random);

}}  // namespace regard::REGARD_PRECISION
