#pragma once

// One vector register of numbers, as wide as the instruction set that a kernel file is compiled for, where a
// loop has to be laid out by hand. g++ and clang++ know arithmetic on it. For kernel files only.

#include <type_traits>

#include "autograd/kernels/rows.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace {

#if defined(__AVX512F__)
constexpr Index vector_bytes = 64, registers = 32;
#elif defined(__AVX__)
constexpr Index vector_bytes = 32, registers = 16;
#else
constexpr Index vector_bytes = 16, registers = 16;  // SSE2, NEON
#endif
using Vector __attribute__((vector_size(vector_bytes))) = Real;
constexpr Index lanes = vector_bytes / static_cast<Index>(sizeof(Real));

[[maybe_unused]] inline Vector load(const Real* from) {
  Vector x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
[[maybe_unused]] inline void store(Real* to, Vector x) { __builtin_memcpy(to, &x, sizeof x); }

// Four numbers, which every processor has vectors for.
using Four __attribute__((vector_size(4 * sizeof(Real)))) = Real;
#if defined(__clang__) || __GNUC__ >= 12
#define REGARD_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
using FourPlaces __attribute__((vector_size(4 * sizeof(Real)))) =
    std::conditional_t<sizeof(Real) == sizeof(int), int, long>;
#define REGARD_SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, FourPlaces{i, j, k, l})
#endif

/// Exchanges rows[i][j] and rows[j][i].
[[maybe_unused]] inline void transpose(Four* rows) {
  const Four a = rows[0], b = rows[1], c = rows[2], d = rows[3];
  const Four ab_low = REGARD_SHUFFLE(a, b, 0, 4, 1, 5), ab_high = REGARD_SHUFFLE(a, b, 2, 6, 3, 7);
  const Four cd_low = REGARD_SHUFFLE(c, d, 0, 4, 1, 5), cd_high = REGARD_SHUFFLE(c, d, 2, 6, 3, 7);
  rows[0] = REGARD_SHUFFLE(ab_low, cd_low, 0, 1, 4, 5);
  rows[1] = REGARD_SHUFFLE(ab_low, cd_low, 2, 3, 6, 7);
  rows[2] = REGARD_SHUFFLE(ab_high, cd_high, 0, 1, 4, 5);
  rows[3] = REGARD_SHUFFLE(ab_high, cd_high, 2, 3, 6, 7);
}

[[maybe_unused]] inline Vector exponential(Vector x) {
  Real y[lanes];
  store(y, x);
#pragma omp simd
  for (Index i = 0; i < lanes; ++i) y[i] = exponential(y[i]);
  return load(y);
}

}}}}  // namespace regard::REGARD_PRECISION::kernels
