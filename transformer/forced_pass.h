#pragma once

#include "transformer/attention_weights.h"
#include "transformer/encoder_decoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// A pass over given targets (teacher forcing) with all that it computed on the way.
struct ForcedPass {
  Memory memory;
  Tensor hidden;             ///< the decoder's output, [target tokens, width]
  AttentionWeights weights;  ///< of all layers and heads
};

/// Runs a model over all tokens of a batch at once, without gradients. In the attentions of the decoder,
/// query i is the step that predicts target token i. The model must be in evaluation mode.
ForcedPass forced_pass(EncoderDecoder& model, const Batch& batch);

}}}  // namespace regard::REGARD_PRECISION::transformer
