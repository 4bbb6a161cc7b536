#pragma once

#include <cstdint>
#include <vector>

#include "autograd/error.h"
#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The rows of a packed batch, step by step instead of sentence by sentence: first all first tokens, then all
/// second tokens, and so on. The longest sentence is first, so the sentences that run at a step are the first
/// ones of the step before.
struct TimeMajor {
  explicit TimeMajor(const std::vector<Index>& offsets);

  Index steps() const { return to_index(begin.size()) - 1; }
  /// Sentences that run at step t.
  Index running(Index t) const { return begin[to_size(t) + 1] - begin[to_size(t)]; }

  std::vector<std::int32_t> order;   ///< the sentences, longest first
  std::vector<Index> begin{0};       ///< step t has the time-major rows begin[t] .. begin[t + 1]
  std::vector<std::int32_t> packed;  ///< the packed row of each time-major row
  std::vector<std::int32_t> places;  ///< the time-major row of each packed row
};

}}}  // namespace regard::REGARD_PRECISION::transformer
