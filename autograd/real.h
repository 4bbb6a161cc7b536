#pragma once

#include <cstdint>

/// One source, two precisions. The libraries are compiled twice: `Real` is float for training and, with
/// REGARD_DOUBLE defined, double for checking gradients. Everything that depends on `Real` lives in an
/// inline namespace of its own, so a program that mixes the two fails to link instead of misreading memory.
#ifdef REGARD_DOUBLE
#define REGARD_PRECISION f64
#else
#define REGARD_PRECISION f32
#endif

namespace regard { inline namespace REGARD_PRECISION {

#ifdef REGARD_DOUBLE
using Real = double;
#else
using Real = float;
#endif

/// Where a backward writes its contribution to a gradient. The first contribution to an activation's
/// gradient overwrites (`add` is false), later ones add: the result of a product needs no zeros beneath it.
/// Empty (`data` is null) when the input needs no gradient.
struct GradSlot {
  Real* data = nullptr;
  bool add = false;
  explicit operator bool() const { return data != nullptr; }
};

/// Dropout of one call: the probability of dropping, and the key of the random sequence that decides.
/// An element's fate is a function of (key, row, column) alone: the backward asks again instead of storing.
struct Dropout {
  Real probability = 0;
  std::uint64_t key = 0;
};

}}  // namespace regard::REGARD_PRECISION
