#pragma once

#include <functional>
#include <vector>

#include "autograd/index.h"
#include "transformer/model.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// What a model thinks of a translation that was given to it.
struct ForcedScore {
  std::vector<double> token_log_probabilities;  ///< of y1 … ym and </s>, each after all before it
  double log_probability = 0;                   ///< their sum, log p(target | source)
};

/// The scores of all sentence pairs of a batch, in one pass over all tokens (teacher forcing). The model must
/// be in evaluation mode. Throws Error if input and output of the decoder differ in length, for an id outside
/// the vocabulary, and for logits that are no numbers.
std::vector<ForcedScore> score(Transformer& model, const Batch& batch);

/// Calls visit(first, logits) with the logits [rows, vocabulary] of some of the decoder's outputs `hidden`
/// [tokens, d_model] at a time, those from row `first` on: the logits of all tokens never exist at once.
void visit_logits(const Transformer& model, const Tensor& hidden,
                  const std::function<void(Index first, const Tensor& logits)>& visit);

}}}  // namespace regard::REGARD_PRECISION::transformer
