#pragma once

#include <string>
#include <vector>

#include "nn/attention_module.h"
#include "transformer/encoder_decoder.h"

// The attentions of a model, and their weights for given targets.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The queries and the keys of an attention.
enum class AttentionKind {
  encoder,  ///< source positions look at source positions
  decoder,  ///< target tokens look at the target tokens before them
  source    ///< target tokens look at source positions
};

/// One attention of a model.
struct AttentionLayer {
  std::string name;  ///< the path to its module, such as "decoder.layers.0.multihead_attn"
  AttentionKind kind;
  Index layer;  ///< its number among the attentions of its kind
  const nn::AttentionModule* attention;
  nn::AttentionWeights weights = {};  ///< of a ForcedPass; empty if it did not run
};

/// All attentions of a model in the order of its modules; none for a model without attention.
std::vector<AttentionLayer> attention_layers(EncoderDecoder& model);

/// A pass over given targets (teacher forcing) with all that it computed on the way.
struct ForcedPass {
  Memory memory;
  Tensor hidden;  ///< the decoder's output, [target tokens, width]
  std::vector<AttentionLayer> attentions;

  /// The attentions of this kind that ran.
  std::vector<AttentionLayer> of(AttentionKind kind) const;
};

/// Runs a model over all tokens of a batch at once, without gradients. In the attentions of the decoder,
/// query i is the step that predicts target token i. The model must be in evaluation mode.
ForcedPass forced_pass(EncoderDecoder& model, const Batch& batch);

}}}  // namespace regard::REGARD_PRECISION::transformer
