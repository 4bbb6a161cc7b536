#pragma once

#include "autograd/machine/real.h"

// Kernel files use this header, so its functions are always inlined: the linker finds no copy to share
// (autograd/kernels/kernel.h).

namespace regard { inline namespace REGARD_PRECISION {

/// The place for an operation's contribution to the gradient of one input. The first contribution to an
/// activation's gradient overwrites the memory (`add` is false), later contributions add to it. So the
/// result of a matrix product needs no zeros beneath it. The slot is empty (`data` is null) if the input
/// needs no gradient.
struct GradSlot {
  Real* data = nullptr;
  bool add = false;

  [[gnu::always_inline]] explicit operator bool() const { return data != nullptr; }

  /// Element i = value, or element i += value. The slot must not be empty.
  [[gnu::always_inline]] void put(Index i, Real value) const { data[i] = add ? data[i] + value : value; }

  /// For an operation that leaves out some elements, or contributes to some several times. If the slot would
  /// overwrite, it is filled with zeros. Afterwards it adds. `size` is the size of the input.
  [[gnu::always_inline]] void start_with_zeros(Index size) {
    if (!add)
      for (Index i = 0; i < size; ++i) data[i] = 0;
    add = true;
  }
};

}}  // namespace regard::REGARD_PRECISION
