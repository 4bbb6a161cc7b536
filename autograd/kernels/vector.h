#pragma once

// One vector register of numbers, as wide as the instruction set that a kernel file is compiled for, where a
// loop has to be laid out by hand. g++ and clang++ know arithmetic on it. For kernel files only.

#include "autograd/kernels/rows.h"
#include "autograd/machine/real.h"

namespace regard::inline REGARD_PRECISION::kernels { namespace {

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

[[maybe_unused]] inline Vector exponential(Vector x) {
  Real y[lanes];
  store(y, x);
#pragma omp simd
  for (Index i = 0; i < lanes; ++i) y[i] = exponential(y[i]);
  return load(y);
}

}}  // namespace regard::REGARD_PRECISION::kernels
