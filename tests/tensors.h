#pragma once

// What all tests that compute with tensors share, in either precision.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/machine/error.h"
#include "autograd/machine/real.h"

namespace regard::tests {

/// Values that depend on the seed alone.
inline Tensor normal(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  return Tensor::normal(shape, 0, 1, random);
}

/// The numbers of a tensor in double, row-major: what references are computed on.
using Numbers = std::vector<double>;
inline Numbers numbers(const Tensor& x) { return {x.values().begin(), x.values().end()}; }

/// max |got - expected| / max |expected|, or max |got - expected| where all expected are 0. Infinite if one
/// of them is no number or the sizes differ.
inline double error(const Numbers& got, const Numbers& expected) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (got.size() != expected.size()) return infinite;
  double difference = 0, scale = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(got[i]) || !std::isfinite(expected[i])) return infinite;
    difference = std::max(difference, std::abs(got[i] - expected[i]));
    scale = std::max(scale, std::abs(expected[i]));
  }
  return scale > 0 ? difference / scale : difference;
}
inline double error(const Tensor& got, const Numbers& expected) { return error(numbers(got), expected); }
inline double error(const Tensor& got, const Tensor& expected) {
  if (got.shape() != expected.shape()) return std::numeric_limits<double>::infinity();
  return error(numbers(got), numbers(expected));
}

/// The same shape, and every value the same to the last bit.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), to_size(a.size()) * sizeof(Real)) == 0;
}
inline bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, [](const Tensor& x, const Tensor& y) { return same_bits(x, y); });
}

/// The gradient of sum(cotangent * y) with respect to each input (zeros if y does not depend on it), with a
/// random cotangent that depends on y's shape alone. Leaves the inputs' own gradients empty.
inline std::vector<Tensor> gradients(const Tensor& y, const std::vector<Tensor>& inputs) {
  backward(y, {.cotangent = normal(y.shape(), 4711)});
  std::vector<Tensor> result;
  for (const Tensor& input : inputs) {
    const Tensor gradient = input.grad();
    result.push_back(gradient ? gradient.clone() : Tensor::zeros(input.shape()));
    input.zero_grad();
  }
  return result;
}

/// Sentences of the given lengths one after another: where each begins, and the end of the last.
inline std::vector<Index> offsets(const std::vector<Index>& lengths) {
  std::vector<Index> result{0};
  for (const Index length : lengths) result.push_back(result.back() + length);
  return result;
}
inline Segments self_segments(const std::vector<Index>& lengths) {
  return segments(offsets(lengths), offsets(lengths));
}

/// Sets the number of threads for as long as it lives.
class Threads {
 public:
  explicit Threads(int count) : before_(threads()) { set_threads(count); }
  ~Threads() { set_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

}  // namespace regard::tests
