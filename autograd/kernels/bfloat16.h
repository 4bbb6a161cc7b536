#pragma once

// float32 to bfloat16 and back, for kernel files only.

#include <cstdint>

#include "autograd/low_precision/products.h"
#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace {

using low_precision::bfloat16;

/// The upper 16 bits of a float32 are a bfloat16. Adding almost half of the last bit that stays, and that bit
/// itself, carries into it exactly when the nearest (even) bfloat16 is the larger one.
[[maybe_unused]] inline bfloat16 rounded(float x) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t nearest = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const std::uint32_t quiet_nan = (bits >> 16) | 0x40;
  return static_cast<bfloat16>((bits & 0x7fffffff) > 0x7f800000 ? quiet_nan : nearest);
}

[[maybe_unused]] inline Real number(bfloat16 x) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(x) << 16);
}
[[maybe_unused]] inline Real number(Real x) { return x; }

}  // namespace
}}}  // namespace regard::REGARD_PRECISION::kernels
