#pragma once

#include <vector>

#include "autograd/machine/real.h"
#include "transformer/encoder_decoder.h"
#include "transformer/search/search.h"
#include "transformer/search/search_options.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Options of an exact search.
struct ExactOptions {
  /// Limits of length, constraints, and the beam and the patience of the search that gives the first bound.
  /// `n_best` and the length penalty are ignored: the search is for the greatest log-probability.
  SearchOptions search = {};
  /// The search of a sentence ends when the decoder has read this number of hypotheses.
  Index most_expansions = 100'000;
};

/// The greatest limit of expansions.
constexpr Index greatest_expansions = 1'000'000'000'000;

/// Throws Error that names an option out of its range.
void check(const ExactOptions& options);

struct ExactResult {
  Hypothesis best;       ///< its score is its log-probability
  bool complete = true;  ///< up to rounding, no translation has a greater log-probability
  Index expansions = 0;  ///< hypotheses that the decoder has read
};

/// The translation of each sentence with the greatest log-probability (Stahlberg and Byrne 2019, algorithm
/// 2), among those that the limits of length and the constraints allow. It is never less probable than the
/// translation that a beam search finds without a length penalty. A search that reaches the limit of
/// expansions returns the best translation that it has found.
///
/// The model must be in evaluation mode. Throws Error for an option out of its range, and for logits that are
/// not finite.
std::vector<ExactResult> exact_search(EncoderDecoder& model, const Source& source,
                                      const ExactOptions& options = {});

}}}  // namespace regard::REGARD_PRECISION::transformer
