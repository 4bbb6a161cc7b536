#include "transformer/self_attention/layers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {
MultiHeadAttention::Settings attention_settings(const Config& config,
                                                nn::PositionalEncoding::Settings positions = {
                                                    .kind = nn::PositionKind::none}) {
  return {.d_model = config.d_model,
          .heads = config.heads,
          .dropout = config.dropout.attention,
          .positions = positions,
          .scaled = config.multi_head.scaled,
          .normaliser = config.multi_head.normaliser,
          .shared_key_value = config.multi_head.shared_key_value};
}
}  // namespace

EncoderLayer::EncoderLayer(const Config& config, Random& random)
    : self_attention(attention_settings(config, config.positions_of(PositionSides::encoder)), random),
      feed_forward(config.d_model, config.d_ff, config.dropout.feed_forward, random, config.activation),
      residual1(config),
      residual2(config) {}

Tensor EncoderLayer::operator()(const Tensor& x, const Segments& source,
                                MultiHeadAttention::Weights* weights) {
  const Tensor y = residual1(x, [&](const Tensor& input) {
    return self_attention.self(input, source, MultiHeadAttention::Mask::none, weights);
  });
  return residual2(y, feed_forward);
}

void EncoderLayer::visit(nn::Visitor& visitor) {
  visitor("self_attn", self_attention);
  feed_forward.visit(visitor);  // PyTorch has its two products directly in the layer
  residual1.visit_norm(visitor, "norm1");
  residual2.visit_norm(visitor, "norm2");
  visitor(residual1.dropout);
  visitor(residual2.dropout);
}

DecoderLayer::DecoderLayer(const Config& config, Random& random)
    : self_attention(attention_settings(config, config.positions_of(PositionSides::decoder)), random),
      memory_attention(attention_settings(config), random),
      feed_forward(config.d_model, config.d_ff, config.dropout.feed_forward, random, config.activation),
      residual1(config),
      residual2(config),
      residual3(config) {}

Tensor DecoderLayer::operator()(const Tensor& x, const Tensor& memory, const Segments& target,
                                const Segments& source, MultiHeadAttention::Weights* self_weights,
                                MultiHeadAttention::Weights* memory_weights) {
  return apply(
      x,
      [&](const Tensor& input) {
        return self_attention.self(input, target, MultiHeadAttention::Mask::causal, self_weights);
      },
      [&](const Tensor& input) { return memory_attention.cross(input, memory, source, memory_weights); });
}

void DecoderLayer::visit(nn::Visitor& visitor) {
  visitor("self_attn", self_attention);
  visitor("multihead_attn", memory_attention);  // PyTorch's name of the attention to the memory
  feed_forward.visit(visitor);
  residual1.visit_norm(visitor, "norm1");
  residual2.visit_norm(visitor, "norm2");
  residual3.visit_norm(visitor, "norm3");
  visitor(residual1.dropout);
  visitor(residual2.dropout);
  visitor(residual3.dropout);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
