#pragma once

#include "autograd/kernels/ranges.h"

// What kernels over ranges share. For kernel files only, as rows.h.

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace {

/// Calls use(query, pair, key row) for every pair.
template <class Use>
void for_each_pair(const Ranges& ranges, const Use& use) {
  for (Index i = ranges.begin; i < ranges.end; ++i)
    for (Index pair = ranges.offsets[i]; pair < ranges.offsets[i + 1]; ++pair)
      use(i, pair, ranges.first[i] + pair - ranges.offsets[i]);
}

[[maybe_unused]] inline void set_to_zero(Real* x, Index n) {
  for (Index i = 0; i < n; ++i) x[i] = 0;
}

}}}}  // namespace regard::REGARD_PRECISION::kernels
