#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "autograd/low_precision/products.h"
#include "autograd/tensor.h"
#include "tests/autograd/support.h"
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

/// C[m, n] = A B with A and B given by functions of row and column, in double.
template <class A, class B>
Numbers multiply(Index m, Index n, Index k, const A& a, const B& b) {
  Numbers c(to_size(m * n));
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index l = 0; l < k; ++l) c[to_size(i * n + j)] += a(i, l) * b(l, j);
  return c;
}

struct LinearShape {
  Index rows, in, out;
};
inline const std::vector<LinearShape> linear_shapes{{1, 1, 1},     {1, 9, 5},      {7, 1, 3},
                                                    {3, 5, 1},     {17, 33, 65},   {130, 64, 7},
                                                    {40, 300, 96}, {5, 128, 1000}, {600, 70, 33}};

/// Numbers of many sizes, one row of zeros, and none that the products of a step would carry beyond float32.
inline Tensor mixed(const Shape& shape, std::uint64_t seed) {
  const Tensor x = normal(shape, seed);
  const Index columns = shape[1];
  for (Index i = 0; i < x.size(); ++i) x.data()[i] *= i % 7 == 0 ? 1e-6f : i % 11 == 0 ? 1e4f : 1.0f;
  if (shape[0] > 2) std::fill_n(x.data() + columns, columns, 0.0f);
  return x;
}

}  // namespace regard::tests
