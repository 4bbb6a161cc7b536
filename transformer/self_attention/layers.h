#pragma once

#include <utility>

#include "autograd/ops/dropout.h"
#include "nn/layers.h"
#include "nn/multi_head_attention.h"
#include "transformer/self_attention/config.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

using nn::MultiHeadAttention;

/// The frame around every sublayer f: a residual connection, dropout and a LayerNorm.
///   post: LayerNorm(x + Dropout(f(x)))     Vaswani et al. 2017, section 3.1
///   pre:  x + Dropout(f(LayerNorm(x)))     Xiong et al. 2020
class Residual {
 public:
  explicit Residual(const Config& config)
      : norm(config.d_model), dropout(config.dropout.sublayer), order_(config.norm) {}

  template <class Sublayer>
  Tensor operator()(const Tensor& x, Sublayer&& sublayer) {
    if (order_ == Norm::post) return norm(x, sublayer(x), dropout.next());
    return residual_dropout(x, sublayer(norm(x)), dropout.next());
  }

  nn::LayerNorm norm;
  nn::Dropout dropout;

 private:
  Norm order_;
};

/// Self-attention, then the feed-forward network.
class EncoderLayer : public nn::Module {
 public:
  EncoderLayer(const Config& config, Random& random);
  /// x[source tokens, d_model]; `weights` receives the attention weights unless it is null.
  Tensor operator()(const Tensor& x, const Segments& source, MultiHeadAttention::Weights* weights = nullptr);
  void visit(nn::Visitor& visitor) override;

  MultiHeadAttention self_attention;
  nn::FeedForward feed_forward;
  Residual residual1, residual2;
};

/// Causal self-attention, attention to the memory, then the feed-forward network.
class DecoderLayer : public nn::Module {
 public:
  DecoderLayer(const Config& config, Random& random);

  /// x[target tokens, d_model], memory[positions, d_model]. `target` says which rows of x are one sentence;
  /// `source` says which rows of the memory each sentence looks at. `self_weights` and `memory_weights`
  /// receive the attention weights unless they are null.
  Tensor operator()(const Tensor& x, const Tensor& memory, const Segments& target, const Segments& source,
                    MultiHeadAttention::Weights* self_weights = nullptr,
                    MultiHeadAttention::Weights* memory_weights = nullptr);

  /// The same layer with its two attentions given as functions of rows: decoding computes them from caches.
  template <class SelfAttention, class MemoryAttention>
  Tensor apply(const Tensor& x, SelfAttention&& attend_to_self, MemoryAttention&& attend_to_memory) {
    const Tensor y = residual1(x, std::forward<SelfAttention>(attend_to_self));
    const Tensor z = residual2(y, std::forward<MemoryAttention>(attend_to_memory));
    return residual3(z, feed_forward);
  }
  void visit(nn::Visitor& visitor) override;

  MultiHeadAttention self_attention, memory_attention;
  nn::FeedForward feed_forward;
  Residual residual1, residual2, residual3;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
