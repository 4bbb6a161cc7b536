#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/machine/real.h"
#include "transformer/encoder_decoder.h"
#include "transformer/search/search_options.h"

// Greedy search and beam search.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// A finished translation.
struct Hypothesis {
  std::vector<std::int32_t> tokens;  ///< without <s> and </s>
  double log_probability = 0;        ///< of the tokens and </s>
  double score = 0;                  ///< log_probability / length penalty of n tokens, </s> counted
};

/// One candidate in a step of a beam search: a hypothesis of the step before, and one more token.
struct SearchNode {
  enum class State {
    alive,   ///< among the `beam` best candidates; extended in the next step unless the search stops
    pruned,  ///< not among them
    ended    ///< among them, and ends with </s>
  };
  Index id;      ///< from 0, in the order of the steps and, within a step, best first
  Index parent;  ///< id of the hypothesis that it extends; -1 in the first step
  std::int32_t token;
  double log_probability;  ///< of all its tokens
  State state;
};

/// The record of a beam search of one sentence. Step i has hypotheses of i + 1 tokens, </s> counted: the
/// `beam` best candidates, and at most `beam` that were pruned.
using SearchTree = std::vector<std::vector<SearchNode>>;

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
