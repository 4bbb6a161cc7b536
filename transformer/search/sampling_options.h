#pragma once

#include <cstdint>

#include "autograd/index.h"
#include "transformer/search/search_options.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// How translations are drawn. Tokens are excluded in the order of these settings.
struct SamplingOptions {
  /// Divisor of the logits: below 1, likely tokens become likelier. 0: only the likeliest token, as in greedy
  /// search.
  double temperature = 1;
  Index top_k = 0;  ///< draw only from the k likeliest tokens (Fan et al. 2018); 0: from all
  /// Draw only from the fewest likeliest of these tokens that together have at least this share of their
  /// probability (the nucleus of Holtzman et al. 2020); 1: from all of them.
  double top_p = 1;
  std::uint64_t seed = 1;
  /// The number of the first draw of each sentence. A million draws at once need much memory. Smaller calls,
  /// each of which begins where the one before ended, give the same draws.
  Index first_draw = 0;
  /// Lengths, constraints and length penalty. `n_best` translations of each sentence are drawn; `beam` is
  /// ignored.
  SearchOptions search = {};
};

/// The greatest number of draws per sentence: more fit no memory.
constexpr Index most_samples = 1'000'000;

/// Throws Error that names an option out of its range.
void check(const SamplingOptions& options);

}}}  // namespace regard::REGARD_PRECISION::transformer
