#pragma once

// The functions that squash a number into a range, for vector loops in kernel files.

#include "autograd/kernels/rows.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace {

/// 1 / (1 + e^-x)
[[maybe_unused]] inline Real sigmoid(Real x) { return 1 / (1 + exponential(-x)); }

/// The same, but exactly 0 far below 0. So its product with x vanishes as well, however large x is.
[[maybe_unused]] inline Real vanishing_sigmoid(Real x) {
  const Real small = exponential(x < 0 ? x : -x);
  return (x < 0 ? small : 1) / (1 + small);
}

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

/// The distribution function of the standard normal distribution, and e^(-x^2/2), from which its density
/// follows.
struct NormalDistribution {
  Real below, bell;
};
/// Phi(-x) = (a1 t + ... + a5 t^5) e^(-x^2/2) / 2 with t = 1 / (1 + p x / sqrt 2), for x >= 0, to 7.5e-8
/// (Abramowitz and Stegun 1964, 7.1.26), which is about the rounding of a float near 1.
[[maybe_unused]] inline NormalDistribution normal_distribution(float x) {
  const float t = 1 / (1 + 0.3275911f * 0.70710678f * (x < 0 ? -x : x));
  float series = 1.061405429f;
  series = series * t - 1.453152027f;
  series = series * t + 1.421413741f;
  series = series * t - 0.284496736f;
  series = series * t + 0.254829592f;
  const float bell = exponential(-0.5f * x * x);
  const float tail = 0.5f * series * t * bell;
  return {x < 0 ? tail : 1 - tail, bell};
}
[[maybe_unused]] inline NormalDistribution normal_distribution(double x) {
  return {static_cast<Real>(0.5 * __builtin_erfc(-x * 0.70710678118654752)),
          static_cast<Real>(__builtin_exp(-0.5 * x * x))};
}

}}}}  // namespace regard::REGARD_PRECISION::kernels
