#pragma once

#include <memory>
#include <vector>

#include "transformer/encoder_decoder.h"
#include "transformer/self_attention/layers.h"
#include "transformer/ssru/ssru.h"

// A Transformer's decoder with SSRUs in place of self-attention.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The SSRU, attention to the memory, then the feed-forward network.
class SsruDecoderLayer : public nn::Module {
 public:
  SsruDecoderLayer(const Config& config, Random& random);

  /// x[target tokens, d_model]; `offsets` say which rows of x are one sentence, `sources` which rows of the
  /// memory each sentence looks at. `state` has the c before the first row of each sentence, or is empty for
  /// zeros, and gets that of its last row. Null: sentences begin with zeros. With a state, every sentence has
  /// a row.
  Tensor operator()(const Tensor& x, const std::vector<Index>& offsets, Tensor* state,
                    const MultiHeadAttention::KeyValue& memory, const Segments& sources);
  void visit(nn::Visitor& visitor) override;

  Ssru ssru;
  MultiHeadAttention memory_attention;
  nn::FeedForward feed_forward;
  Residual residual1, residual2, residual3;
};

/// The decoder of Kim et al. 2019. A step costs the same however long the translation is, because a layer
/// keeps one vector of each hypothesis and not the keys and values of all its tokens.
class SsruDecoder : public Decoder {
 public:
  SsruDecoder(const Config& config, const nn::Embedding& embedding, Random& random)
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
  Stack<SsruDecoderLayer> stack;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
