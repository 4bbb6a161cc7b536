#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/machine/real.h"
#include "transformer/encoder_decoder.h"
#include "transformer/search/search.h"
#include "transformer/search/search_options.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// How translations are sampled. Tokens are excluded in the order of these settings.
struct SamplingOptions {
  /// Divisor of the logits: below 1, likely tokens become likelier. 0: only the likeliest token, as in greedy
  /// search.
  double temperature = 1;
  Index top_k = 0;  ///< sample only from the k likeliest tokens (Fan et al. 2018); 0: from all
  /// Sample only from the fewest likeliest of these tokens that together have at least this share of their
  /// probability (the nucleus of Holtzman et al. 2020); 1: from all of them.
  double top_p = 1;
  std::uint64_t seed = 1;
  /// The number of the first sample of each sentence. A million samples at once need much memory. Smaller
  /// calls, each of which begins where the one before ended, give the same samples.
  Index first_sample = 0;
  /// Lengths, constraints and length penalty. `n_best` translations of each sentence are sampled; `beam` is
  /// ignored.
  SearchOptions search = {};
};

/// The greatest number of samples per sentence: more fit no memory.
constexpr Index most_samples = 1'000'000;

/// Throws Error that names an option out of its range.
void check(const SamplingOptions& options);

/// Samples n_best translations of each sentence, token by token, and returns them in the order of the
/// samples; a translation may come several times. Log-probabilities are those of the model, as in a search:
/// temperature, top_k and top_p do not change them.
///
/// The random number of a token is a function of four things: the seed, the number of the sentence, the
/// number of the sample, and the position of the token. `sentence_numbers` are the numbers of the sentences,
/// such as their lines in a text; empty: 0, 1, 2, …
///
/// The model must be in evaluation mode. Throws Error for an option out of its range, and for logits that are
/// not finite.
std::vector<std::vector<Hypothesis>> sample_search(EncoderDecoder& model, const Source& source,
                                                   const SamplingOptions& options,
                                                   std::span<const Index> sentence_numbers = {});

}}}  // namespace regard::REGARD_PRECISION::transformer
