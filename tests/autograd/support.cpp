#include "tests/autograd/support.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace regard::tests {

Tensor normal(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  return Tensor::normal(shape, 0, 1, random);
}

Tensor positive(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  return Tensor::uniform(shape, Real(0.5), 2, random);
}

std::vector<std::int32_t> random_ids(std::size_t count, std::int64_t bound, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int32_t> ids(count);
  for (std::int32_t& id : ids)
    id = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(bound)));
  return ids;
}

Numbers numbers(const Tensor& x) { return {x.values().begin(), x.values().end()}; }

double error(const Numbers& got, const Numbers& expected) {
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

double error(const Tensor& got, const Numbers& expected) { return error(numbers(got), expected); }

double error(const Tensor& got, const Tensor& expected) {
  if (got.shape() != expected.shape()) return std::numeric_limits<double>::infinity();
  return error(numbers(got), numbers(expected));
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(Real)) == 0;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](const auto& x, const auto& y) { return same_bits(x, y); });
}

std::vector<Tensor> gradients(const Tensor& y, const std::vector<Tensor>& inputs) {
  backward(y, {.cotangent = normal(y.shape(), 4711)});
  std::vector<Tensor> result;
  for (const Tensor& input : inputs) {
    const Tensor gradient = input.grad();
    result.push_back(gradient ? gradient.clone() : Tensor::zeros(input.shape()));
    input.zero_grad();
  }
  return result;
}

std::vector<Tensor> leaves(const std::vector<Tensor>& values) {
  std::vector<Tensor> result;
  for (const Tensor& value : values) result.push_back(value.clone().set_requires_grad());
  return result;
}

std::vector<std::int64_t> offsets(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> result{0};
  for (const std::int64_t length : lengths) result.push_back(result.back() + length);
  return result;
}

Segments self_segments(const std::vector<std::int64_t>& lengths) {
  return segments(offsets(lengths), offsets(lengths));
}

void poison_free_memory() {
  // The pool serves the smallest free block that fits, so many small tensors fill all its gaps, and then
  // enough of the rest.
  std::vector<Tensor> held;
  for (int i = 0; i < 10'000; ++i)
    held.push_back(Tensor::full({64 / sizeof(Real)}, std::numeric_limits<Real>::quiet_NaN()));
}

}  // namespace regard::tests
