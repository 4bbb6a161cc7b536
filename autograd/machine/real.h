#pragma once

#include <cstdint>
#include <type_traits>

// The types of numbers.
//
// One source, two precisions. The libraries are compiled twice: `Real` is float for training. With
// REGARD_DOUBLE defined, it is double for checking gradients. Everything that depends on `Real` lives in an
// inline namespace of its own, so a program that mixes the two fails to link instead of misreading memory.
// The libraries define REGARD_FLOAT or REGARD_DOUBLE for those that link them.
#if defined(REGARD_FLOAT) && defined(REGARD_DOUBLE)
#error \
    "this target links regard in float and in double; link regard::transformer or regard::transformer_f64, not both"
#endif
#ifdef REGARD_DOUBLE
#define REGARD_PRECISION f64
#else
#define REGARD_PRECISION f32
#endif

namespace regard {

/// A position, a size or a count. Signed, so that differences are safe and loops may run down to 0.
using Index = std::int64_t;

/// a / b, rounded up, for a >= 0 and b > 0. (Inlined also into kernels: autograd/kernels/kernel.h.)
template <class Integer>
[[gnu::always_inline]] constexpr Integer ceil_divide(Integer a, std::type_identity_t<Integer> b) {
  return (a + b - 1) / b;
}

/// The smallest multiple of `unit` that is not below `x`.
template <class Integer>
[[gnu::always_inline]] constexpr Integer round_up(Integer x, std::type_identity_t<Integer> unit) {
  return ceil_divide(x, unit) * unit;
}

inline namespace REGARD_PRECISION {

#ifdef REGARD_DOUBLE
using Real = double;
#else
using Real = float;
#endif

/// The dropout of one call: the probability of dropping an element, and the key of the random sequence that
/// decides. Whether an element is dropped is a function of (key, row, column) alone, so the backward computes
/// it again instead of storing it.
struct DropoutMask {
  Real probability = 0;
  std::uint64_t key = 0;
};

}
}  // namespace regard::REGARD_PRECISION
