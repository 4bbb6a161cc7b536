#pragma once

// What the tests of kernels share.

#include <limits>
#include <string>

#include "autograd/kernels/kernel.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

namespace regard::tests {

inline const double version_tolerance = sizeof(Real) == sizeof(double) ? 1e-13 : 5e-6;

/// A result full of NaN, so that an element that stays unwritten is noticed.
inline Tensor unwritten(const Shape& shape) {
  return Tensor::full(shape, std::numeric_limits<Real>::quiet_NaN());
}

/// Runs compute(version) for every version this processor can run and compares what it returns.
template <class Compute>
void check_versions(const std::string& name, const Compute& compute) {
  const std::vector<Tensor> baseline = compute(0);
  for (int version = 1; version <= static_cast<int>(processor_simd()); ++version) {
    const std::vector<Tensor> other = compute(version);
    for (std::size_t i = 0; i < baseline.size(); ++i) {
      INFO(name << ", result " << i << ", " << to_string(static_cast<Simd>(version)));
      CHECK(error(other[i], baseline[i]) < version_tolerance);
    }
  }
}

/// A gradient that starts unwritten or, for a slot that adds, with values.
struct Gradient {
  Gradient(const Shape& shape, bool add) : values(add ? normal(shape, 99) : unwritten(shape)), adds(add) {}
  GradSlot slot() const { return {values.data(), adds}; }
  Tensor values;
  bool adds;
};

}  // namespace regard::tests
