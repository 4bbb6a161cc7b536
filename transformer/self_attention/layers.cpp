#include "transformer/self_attention/layers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

EncoderLayer::EncoderLayer(const Config& config, Random& random)
    : self_attention(config.self_attention(PositionSides::encoder), random),
      feed_forward(config.d_model, config.d_ff, config.dropout.feed_forward, random, config.activation),
      residual1(config),
      residual2(config) {}

Tensor EncoderLayer::operator()(const Tensor& x, const Segments& source) {
  const Tensor y = residual1(x, [&](const Tensor& input) {
    return self_attention.self(input, source, MultiHeadAttention::Mask::none);
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
    : self_attention(config.self_attention(PositionSides::decoder), random),
      memory_attention(config.memory_attention(), random),
      feed_forward(config.d_model, config.d_ff, config.dropout.feed_forward, random, config.activation),
      residual1(config),
      residual2(config),
      residual3(config) {}

Tensor DecoderLayer::operator()(const Tensor& x, const Tensor& memory, const Segments& target,
                                const Segments& source) {
  return apply(
      x,
      [&](const Tensor& input) {
        return self_attention.self(input, target, MultiHeadAttention::Mask::causal);
      },
      [&](const Tensor& input) {
        return memory_attention.cross(input, memory_attention.key_value(memory), source);
      });
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
