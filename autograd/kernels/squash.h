#pragma once

// The functions that squash a number into a range, for vector loops in kernel files.

#include "autograd/kernels/rows.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace {

/// 1 / (1 + e^-x)
[[maybe_unused]] inline Real sigmoid(Real x) { return 1 / (1 + exponential(-x)); }

/// tanh x = 2 sigmoid(2x) - 1. Near 0 that difference would lose digits, so the Taylor series takes its
/// place; below 0.3 its remainder is smaller than the rounding of a float.
[[maybe_unused]] inline float hyperbolic_tangent(float x) {
  const float square = x * x;
  float series = 62.0f / 2835;
  series = series * square - 17.0f / 315;
  series = series * square + 2.0f / 15;
  series = series * square - 1.0f / 3;
  const float small = x + x * square * series;
  const float large = 2 * sigmoid(2 * x) - 1;
  return square < 0.09f ? small : large;
}
[[maybe_unused]] inline double hyperbolic_tangent(double x) { return __builtin_tanh(x); }

}  // namespace
}}}  // namespace regard::REGARD_PRECISION::kernels
