#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transformer/encoder_decoder.h"
#include "transformer/search/hypothesis.h"
#include "transformer/search/search_options.h"
#include "transformer/search/search_tree.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The tokens with which a translation has to begin.
using Prefix = std::vector<std::int32_t>;

/// The n best translations of each sentence, best first. Each source sentence ends with </s>.
/// <pad> and <s> are never produced. The model must be in evaluation mode, or dropout makes the search
/// random. Throws Error for an option out of its range, and for logits that are not finite.
///
/// `prefixes` has the tokens with which each translation begins, for each sentence; empty: no sentence has a
/// prefix. The constraints and the greatest length do not hold for these tokens. A prefix that ends with </s>
/// is the whole translation. `trees` receives the record of each search unless it is null.
std::vector<std::vector<Hypothesis>> beam_search(EncoderDecoder& model, const Source& source,
                                                 const SearchOptions& options = {},
                                                 std::span<const Prefix> prefixes = {},
                                                 std::vector<SearchTree>* trees = nullptr);

/// The translation that takes the likeliest token at each step: a beam search with one hypothesis. It ignores
/// the options `beam` and `n_best`. Throws Error as beam_search does.
std::vector<Hypothesis> greedy_search(EncoderDecoder& model, const Source& source,
                                      const SearchOptions& options = {},
                                      std::span<const Prefix> prefixes = {});

}}}  // namespace regard::REGARD_PRECISION::transformer
