#pragma once

// How one kernel becomes three functions. A kernel file is compiled once for any x86-64 processor, once for
// AVX2 and once for AVX-512, each time into a namespace of that name; the caller writes
// kernels::layer_norm_forward(...) and gets the version for the processor at hand
// (autograd/machine/simd.h). On other processors there is only the baseline.
//
// A kernel file uses no inline function of the standard library. The linker keeps one copy of such a
// function, perhaps the one compiled for AVX-512, and the program would crash on an older processor. The
// functions that a kernel file does use are local to the file, or are always inlined so that no copy exists.

#include "autograd/kernels/grad_slot.h"
#include "autograd/machine/blas.h"
#include "autograd/machine/real.h"
#include "autograd/machine/simd.h"

namespace regard {

/// The versions of one kernel; calling it calls the one for simd().
template <class Signature>
struct Kernel {
  Signature* versions[3];

  template <class... Arguments>
  void operator()(const Arguments&... arguments) const {
    versions[static_cast<int>(simd())](arguments...);
  }
};

inline namespace REGARD_PRECISION { namespace kernels {

using Matrix = blas::Matrix<Real>;
using ConstMatrix = blas::Matrix<const Real>;

/// A part of a matrix: `rows` rows from `row` on, and `columns` columns from `column` on.
struct MatrixBlock {
  Index row, rows, column, columns;
};

/// How a product is stored in a gradient. (Static: each kernel file has a copy of its own.)
[[maybe_unused]] static inline blas::Store store(GradSlot slot) {
  return slot.add ? blas::Store::add : blas::Store::overwrite;
}

}}  // namespace REGARD_PRECISION::kernels
}  // namespace regard

// In double precision, which is for checks, AVX-512 has the kernels of AVX2.
#ifdef REGARD_DOUBLE
#define REGARD_WIDEST avx2
#else
#define REGARD_WIDEST avx512
#endif

#if defined(__x86_64__)
/// Declares a kernel: its name, then its parameters. To be used in namespace regard::kernels.
#define REGARD_KERNEL(name, ...)   \
  namespace baseline {             \
  void name(__VA_ARGS__) noexcept; \
  }                                \
  namespace avx2 {                 \
  void name(__VA_ARGS__) noexcept; \
  }                                \
  namespace avx512 {               \
  void name(__VA_ARGS__) noexcept; \
  }                                \
  inline constexpr Kernel<void(__VA_ARGS__) noexcept> name { baseline::name, avx2::name, REGARD_WIDEST::name }
#else
#define REGARD_KERNEL(name, ...)   \
  namespace baseline {             \
  void name(__VA_ARGS__) noexcept; \
  }                                \
  inline constexpr Kernel<void(__VA_ARGS__) noexcept> name { baseline::name, baseline::name, baseline::name }
#endif

// Set by the build for the file's instruction set: baseline, avx2 or avx512.
#ifndef REGARD_SIMD_NAMESPACE
#define REGARD_SIMD_NAMESPACE baseline
#endif
