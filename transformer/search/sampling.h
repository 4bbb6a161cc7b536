#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/index.h"
#include "transformer/search/search.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// How to draw translations. What is cut away is cut in the order of these settings.
struct SamplingOptions {
  /// Logits are divided by it: below 1, likely tokens become likelier. 0: only the likeliest, as in greedy
  /// search.
  double temperature = 1;
  Index top_k = 0;  ///< only the k likeliest tokens are drawn from (Fan et al. 2018); 0: all
  /// Only the fewest likeliest of these tokens that together have at least this share of their probability
  /// (the nucleus of Holtzman et al. 2020); 1: all.
  double top_p = 1;
  std::uint64_t seed = 1;
  /// The number of the first draw of each sentence. A million draws at once need much memory; some at a time,
  /// each time from where the last ended, are the same draws.
  Index first_draw = 0;
  /// Lengths, constraints and length penalty. `n_best` translations of each sentence are drawn; `beam` is not
  /// looked at.
  SearchOptions search = {};
};

/// More draws of a sentence fit no memory.
constexpr Index most_samples = 1'000'000;

/// Throws Error naming the option with which nothing can be drawn.
void check(const SamplingOptions& options);

/// Draws n_best translations of each sentence, token by token, and returns them in the order in which they
/// were drawn; the same one may come twice. A log-probability is what the model thinks of the translation, as
/// in a search: temperature, top_k and top_p do not change it.
///
/// The random number that decides for a token is a function of the seed, the sentence's number, the number of
/// the draw and the token's position, and of nothing else. `sentence_numbers` are the numbers of the
/// sentences, such as their lines in a text; empty: 0, 1, 2, …
///
/// The model must be in evaluation mode. Throws Error for options with which nothing can be drawn.
std::vector<std::vector<Hypothesis>> sample_search(Transformer& model, const PackedSequences& source,
                                                   const SamplingOptions& options,
                                                   std::span<const Index> sentence_numbers = {});

}}}  // namespace regard::REGARD_PRECISION::transformer
