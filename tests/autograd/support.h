#pragma once

// What the tests of the engine share. They are compiled in double and some of them in float as well.

#include <cstdint>
#include <vector>

#include "autograd/autograd.h"

namespace regard::tests {

/// Values that depend on the seed alone.
Tensor normal(const Shape& shape, std::uint64_t seed);
/// Between 0.5 and 2.
Tensor positive(const Shape& shape, std::uint64_t seed);
std::vector<std::int32_t> random_ids(std::size_t count, std::int64_t bound, std::uint64_t seed);

/// The numbers of a tensor in double, row-major: what references are computed on.
using Numbers = std::vector<double>;
Numbers numbers(const Tensor& x);

/// max |got - expected| / max |expected|, or max |got - expected| where all expected are 0. Infinite if one
/// of them is no number or the sizes differ.
double error(const Numbers& got, const Numbers& expected);
double error(const Tensor& got, const Numbers& expected);
double error(const Tensor& got, const Tensor& expected);

/// The same shape, and every value the same to the last bit.
bool same_bits(const Tensor& a, const Tensor& b);
bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b);

/// The gradient of sum(cotangent * y) with respect to each input (zeros if y does not depend on it), with a
/// random cotangent that depends on y's shape alone. Leaves the inputs' own gradients empty.
std::vector<Tensor> gradients(const Tensor& y, const std::vector<Tensor>& inputs);

/// Sets requires_grad on copies of the values.
std::vector<Tensor> leaves(const std::vector<Tensor>& values);

/// Sentences of the given lengths, one after another: their offsets, and each looking at itself.
std::vector<std::int64_t> offsets(const std::vector<std::int64_t>& lengths);
Segments self_segments(const std::vector<std::int64_t>& lengths);

/// Sets the number of threads for a while.
class Threads {
 public:
  explicit Threads(int count) : before_(threads()) { set_threads(count); }
  ~Threads() { set_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

/// Fills the free memory of the pool with NaN, so that a result that was never written shows.
void poison_free_memory();

}  // namespace regard::tests
