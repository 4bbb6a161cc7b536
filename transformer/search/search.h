#pragma once

#include <cstdint>
#include <vector>

#include "transformer/model.h"
#include "transformer/search/search_options.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

struct Hypothesis {
  std::vector<std::int32_t> tokens;  ///< without <s> and </s>
  double log_probability = 0;        ///< of the tokens and </s>
  double score = 0;                  ///< log_probability / length penalty of n tokens, </s> counted
};

/// The n best translations of each sentence, best first. Each source sentence ends with </s>.
/// <pad> and <s> are never produced. The model must be in evaluation mode, or dropout makes the search
/// random. Throws Error for options that make no search.
std::vector<std::vector<Hypothesis>> beam_search(Transformer& model, const PackedSequences& source,
                                                 const SearchOptions& options = {});

/// The translation that takes the likeliest token at each step; `beam` and `n_best` are not looked at. Throws
/// Error for options that make no search.
std::vector<Hypothesis> greedy_search(Transformer& model, const PackedSequences& source,
                                      const SearchOptions& options = {});

}}}  // namespace regard::REGARD_PRECISION::transformer
