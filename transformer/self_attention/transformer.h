#pragma once

#include <memory>

#include "transformer/encoder_decoder.h"
#include "transformer/self_attention/layers.h"
#include "transformer/self_attention/transformer_config.h"

// The Transformer.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The encoder of Vaswani et al. 2017, section 3.1: embedding and position, then layers of self-attention and
/// feed-forward networks.
class TransformerEncoder : public Encoder {
 public:
  TransformerEncoder(const Config& config, const nn::Embedding& embedding, Random& random)
      : input(embedding, config.positions_of(PositionSides::encoder), config.dropout.embedding, random),
        stack(config, config.encoder_layers, random) {}

  Memory encode(const Source& source) override;
  Index width() const override { return input.embedding.weight.size(1); }
  void visit(nn::Visitor& visitor) override {
    input.visit_positions(visitor);
    stack.visit(visitor);
  }
  void visit_embedding(nn::Visitor& visitor) override { input.visit_embedding(visitor, "src_embed"); }

  PositionedEmbedding input;
  Stack<EncoderLayer> stack;
};

/// The decoder of Vaswani et al. 2017, section 3.1: embedding and position, then layers of causal
/// self-attention, attention to the memory and feed-forward networks.
class TransformerDecoder : public Decoder {
 public:
  TransformerDecoder(const Config& config, const nn::Embedding& embedding, Random& random)
      : input(embedding, config.positions_of(PositionSides::decoder), config.dropout.embedding, random),
        stack(config, config.decoder_layers, random) {}

  Tensor decode(const PackedSequences& target, const Memory& memory) override;
  std::unique_ptr<DecodingState> begin(const Memory& memory) override;
  Index width() const override { return input.embedding.weight.size(1); }
  Index memory_width() const override { return width(); }
  void visit(nn::Visitor& visitor) override {
    input.visit_positions(visitor);
    stack.visit(visitor);
  }
  void visit_embedding(nn::Visitor& visitor) override { input.visit_embedding(visitor, "tgt_embed"); }

  PositionedEmbedding input;
  Stack<DecoderLayer> stack;
};

/// The Transformer (Vaswani et al. 2017, figure 1), with initial weights drawn from `random`. Throws Error
/// if a setting is out of its range (check).
EncoderDecoder make_transformer(const Config& config, Random& random);

}}}  // namespace regard::REGARD_PRECISION::transformer
