#pragma once

// Arithmetic on one row of numbers, written so that compilers vectorise it. For kernel files only: the
// functions are local to each file, so each has a copy for its own instruction set.

#include <cstdint>

#include "autograd/kernels/grad_slot.h"
#include "autograd/machine/philox.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace {

/// Kernels that add up the rows of a matrix divide its columns among the blocks of a loop. So one block adds
/// up a whole column, and the bits do not depend on threads. A block takes `columns_together` columns at a
/// time. It has a multiple of `line_columns`, which fill whole cache lines, so no two threads write to the
/// same line.
[[maybe_unused]] constexpr Index columns_together = 64, line_columns = 32;

[[maybe_unused]] inline double exponential(double x) { return __builtin_exp(x); }

/// e^x to 1 ulp, for vector loops (std::exp is a call for each value). x = n ln 2 + r with |r| <= ln 2 / 2;
/// e^r by its Taylor polynomial of degree 7, whose remainder r^8/8! is below 6e-9; 2^n through the exponent
/// bits. If x is below -87, e^x is about the smallest normal number, and the result is 0. If x is above 88,
/// the result is e^88.
[[maybe_unused]] inline float exponential(float x) {
  constexpr float log2_e = 1.44269504f, round_to_integer = 12582912.0f;  // 1.5 * 2^23: adding it rounds
  constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
  const float clamped = x > 88.0f ? 88.0f : (x < -87.0f ? -87.0f : x);
  const float rounded = clamped * log2_e + round_to_integer;  // its last bits are n
  const float n = rounded - round_to_integer;
  const float r = (clamped - n * ln2_high) - n * ln2_low;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  // Unsigned, because NaN has no defined value as a signed integer. Its p is NaN already.
  const std::uint32_t bits =
      __builtin_bit_cast(std::uint32_t, rounded) - __builtin_bit_cast(std::uint32_t, round_to_integer) + 127;
  const float result = p * __builtin_bit_cast(float, bits << 23);
  return x < -87.0f ? 0.0f : result;
}

[[maybe_unused]] inline Real row_max(const Real* x, Index n) {
  Real largest = x[0];
#pragma omp simd reduction(max : largest)
  for (Index i = 0; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

[[maybe_unused]] inline Real row_sum(const Real* x, Index n) {
  Real sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < n; ++i) sum += x[i];
  return sum;
}

[[maybe_unused]] inline Real row_dot(const Real* x, const Real* y, Index n) {
  Real sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

/// y = e^(scale (x - shift)), and the sum of y.
[[maybe_unused]] inline Real row_exponentials(Real* y, const Real* x, Index n, Real scale, Real shift) {
  Real sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < n; ++i) {
    const Real e = exponential(scale * (x[i] - shift));
    y[i] = e;
    sum += e;
  }
  return sum;
}

/// Puts value(i) into element first + i of `slot` for each i below `count`. There are two loops because the
/// one that overwrites must not read.
template <class Value>
inline void put_row(GradSlot slot, Index first, Index count, const Value& value) {
  Real* const to = slot.data + first;
  if (slot.add)
    for (Index i = 0; i < count; ++i) to[i] += value(i);
  else
    for (Index i = 0; i < count; ++i) to[i] = value(i);
}

/// factors = 0 where the element of this row and tile is dropped, else 1/(1-p) (Srivastava et al. 2014, with
/// the scaling at training time).
[[maybe_unused]] inline void dropout_factors(Real* factors, DropoutMask dropout, std::uint64_t row,
                                             std::uint64_t tile) {
  const Real keep = 1 / (1 - dropout.probability);
  const std::uint32_t threshold = dropout_threshold(static_cast<double>(dropout.probability));
  std::uint16_t numbers[dropout_tile];
  dropout_numbers(dropout.key, row, tile, numbers);
#pragma omp simd
  for (int i = 0; i < dropout_tile; ++i) factors[i] = numbers[i] >= threshold ? keep : Real{0};
}

/// Calls use(column, factor) for the columns begin .. end of a row under dropout.
template <class Use>
inline void for_each_dropout_factor(DropoutMask dropout, Index row, Index begin, Index end, const Use& use) {
  Real factors[dropout_tile];
  for (Index first = begin; first < end;) {
    const Index tile = first / dropout_tile, next = (tile + 1) * dropout_tile;
    dropout_factors(factors, dropout, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(tile));
    const Index count = (next < end ? next : end) - first;
    const Real* const used = factors + first % dropout_tile;
#pragma omp simd
    for (Index i = 0; i < count; ++i) use(first + i, used[i]);
    first += count;
  }
}

}}}}  // namespace regard::REGARD_PRECISION::kernels
