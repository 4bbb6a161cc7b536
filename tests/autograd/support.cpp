#include "tests/autograd/support.h"

#include <limits>

namespace regard::tests {

Tensor positive(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  return Tensor::uniform(shape, Real(0.5), 2, random);
}

std::vector<std::int32_t> random_ids(std::size_t count, Index bound, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int32_t> ids(count);
  for (std::int32_t& id : ids)
    id = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(bound)));
  return ids;
}

std::vector<Tensor> leaves(const std::vector<Tensor>& values) {
  std::vector<Tensor> result;
  for (const Tensor& value : values) result.push_back(value.clone().set_requires_grad());
  return result;
}

void poison_free_memory() {
  // The pool serves the smallest free block that fits, so many small tensors fill all its gaps, and then
  // enough of the rest.
  std::vector<Tensor> held;
  for (int i = 0; i < 10'000; ++i)
    held.push_back(Tensor::full({64 / sizeof(Real)}, std::numeric_limits<Real>::quiet_NaN()));
}

}  // namespace regard::tests
