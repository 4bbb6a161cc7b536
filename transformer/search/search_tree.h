#pragma once

#include <cstdint>
#include <vector>

#include "autograd/index.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

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

}}}  // namespace regard::REGARD_PRECISION::transformer
