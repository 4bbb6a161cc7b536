#pragma once

// What the tests of the values from which layers start share.

#include <algorithm>
#include <cmath>

#include "tests/catch.h"
#include "tests/tensors.h"

namespace regard::tests {

struct Moments {
  double mean = 0, variance = 0, largest = 0;
};

inline Moments moments(const Tensor& x) {
  Moments result;
  const auto n = static_cast<double>(x.size());
  for (const double value : x.values()) result.mean += value / n;
  for (const double value : x.values()) {
    result.variance += (value - result.mean) * (value - result.mean) / n;
    result.largest = std::max(result.largest, std::abs(value));
  }
  return result;
}

/// Uniform in ±sqrt(6 / (in + out)): variance 2 / (in + out).
inline void check_xavier(const Tensor& weight) {
  const auto sum = static_cast<double>(weight.size(0) + weight.size(1));
  const double bound = std::sqrt(6 / sum);
  const Moments found = moments(weight);
  CHECK(found.largest <= bound);
  CHECK(found.largest > 0.999 * bound);
  CHECK(found.variance == Approx(2 / sum).epsilon(0.02));
  CHECK(std::abs(found.mean) < 0.01 * bound);
}

inline bool all(const Tensor& x, Real value) {
  return std::ranges::all_of(x.values(), [=](Real other) { return other == value; });
}

}  // namespace regard::tests
