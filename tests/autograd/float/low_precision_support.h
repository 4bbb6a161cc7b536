#pragma once

#include <cmath>
#include <string>

#include "autograd/precision.h"
#include "autograd/tensor.h"
#include "tests/catch.h"

namespace regard::tests {

/// False, with a word on the terminal, if this machine has no such products.
inline bool can_run(Precision precision) {
  const std::string missing = missing_for(precision);
  if (!missing.empty()) WARN("skipped: " << missing);
  return missing.empty();
}

/// The nearest number with 8 significant bits; of two, the one whose last bit is 0.
inline double bfloat16_of(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::ldexp(1.0, std::ilogb(x) - 7);
  return std::nearbyint(x / unit) * unit;  // the rounding mode of the program: halfway to even
}

/// A copy of x with rounded numbers.
inline Tensor bfloat16_of(const Tensor& x) {
  const Tensor result = x.clone();
  for (Real& value : result.values()) value = static_cast<Real>(bfloat16_of(double{value}));
  return result;
}

}  // namespace regard::tests
