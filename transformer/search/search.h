#pragma once

#include <vector>

#include "transformer/encoder_decoder.h"
#include "transformer/search/hypothesis.h"
#include "transformer/search/search_options.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The n best translations of each sentence, best first. Each source sentence ends with </s>.
/// <pad> and <s> are never produced. The model must be in evaluation mode, or dropout makes the search
/// random. Throws Error for an option out of its range, and for logits that are not finite.
std::vector<std::vector<Hypothesis>> beam_search(EncoderDecoder& model, const Source& source,
                                                 const SearchOptions& options = {});

/// The translation that takes the likeliest token at each step: a beam search with one hypothesis. It ignores
/// the options `beam` and `n_best`. Throws Error as beam_search does.
std::vector<Hypothesis> greedy_search(EncoderDecoder& model, const Source& source,
                                      const SearchOptions& options = {});

}}}  // namespace regard::REGARD_PRECISION::transformer
