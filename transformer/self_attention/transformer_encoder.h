#pragma once

#include "transformer/encoder.h"
#include "transformer/self_attention/layers.h"
#include "transformer/self_attention/positioned_embedding.h"
#include "transformer/self_attention/stack.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The encoder of Vaswani et al. 2017, section 3.1: embedding and position, then layers of self-attention and
/// feed-forward networks.
class TransformerEncoder : public Encoder {
 public:
  TransformerEncoder(const Config& config, const nn::Embedding& embedding, Random& random)
      : input(embedding, config.positions, config.dropout.embedding, random),
        stack(config, config.encoder_layers, random) {}

  Memory encode(const Source& source, AttentionWeights* weights) override;
  Index width() const override { return input.embedding.weight.size(1); }
  void visit(nn::Visitor& visitor) override {
    input.visit_positions(visitor);
    stack.visit(visitor);
  }
  void visit_embedding(nn::Visitor& visitor) override { input.visit_embedding(visitor, "src_embed"); }

  PositionedEmbedding input;
  Stack<EncoderLayer> stack;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
