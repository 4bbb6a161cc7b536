#pragma once

// Functions that the tests of the engine share. All tests are compiled in double, some of them also in float.

#include <cstdint>
#include <vector>

#include "autograd/machine/real.h"
#include "tests/tensors.h"

namespace regard::tests {

/// Between 0.5 and 2; depends on the seed alone.
Tensor positive(const Shape& shape, std::uint64_t seed);
std::vector<std::int32_t> random_ids(std::size_t count, Index bound, std::uint64_t seed);

/// Sets requires_grad on copies of the values.
std::vector<Tensor> leaves(const std::vector<Tensor>& values);

/// Fills the free memory of the pool with NaN, so that a result that was never written shows.
void poison_free_memory();

}  // namespace regard::tests
