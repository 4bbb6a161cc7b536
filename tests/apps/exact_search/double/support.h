#pragma once

// What the tests of exact search share.

#include <algorithm>

#include "apps/exact_search/exact_search.h"
#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"

namespace regard::tests {

inline constexpr Index vocabulary_size = 7;
inline constexpr std::size_t most_tokens = 4;

inline SearchOptions up_to_most_tokens(Index beam = 1) {
  return {.beam = beam, .max_length_ratio = 0, .max_length_constant = static_cast<Index>(most_tokens)};
}

/// The translation with the greatest log-probability of some.
inline Scored best_of(EncoderDecoder& model, const Ids& source, const std::vector<Ids>& translations) {
  const Numbers all = forced_log_probabilities(model, source, translations);
  const auto best = std::ranges::max_element(all);
  return {translations[static_cast<std::size_t>(best - all.begin())], *best};
}

inline void check_best(const transformer::ExactResult& found, const Scored& expected) {
  CHECK(found.complete);
  CHECK(found.best.tokens == expected.tokens);
  CHECK(found.best.log_probability == Approx(expected.score).epsilon(1e-10));
  CHECK(found.best.score == found.best.log_probability);
}

}  // namespace regard::tests
