#pragma once

#include <functional>
#include <vector>

#include "autograd/machine/real.h"
#include "transformer/encoder_decoder.h"

// Scores of given translations.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The log-probability that a model gives to a given translation.
struct ForcedScore {
  std::vector<double> token_log_probabilities;  ///< of y1 … ym and </s>, each after all before it
  double log_probability = 0;                   ///< their sum, log p(target | source)
};

/// The scores of all sentence pairs of a batch, in one pass over all tokens (teacher forcing). The model must
/// be in evaluation mode. Throws Error if input and output of the decoder differ in length, for an id outside
/// the vocabulary, and for logits that are no numbers.
std::vector<ForcedScore> score(EncoderDecoder& model, const Batch& batch);

/// Computes the logits of the decoder's output hidden[tokens, width] some rows at a time, and calls
/// visit(first, logits[rows, vocabulary]) for the rows from `first` on. The logits of all tokens never exist
/// at once.
void visit_logits(const EncoderDecoder& model, const Tensor& hidden,
                  const std::function<void(Index first, const Tensor& logits)>& visit);

}}}  // namespace regard::REGARD_PRECISION::transformer
