#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/multi_head_attention.h"
#include "nn/positions.h"
#include "transformer/batch.h"
#include "transformer/self_attention/transformer_config.h"

// The layers of the Transformer: residual frame, encoder layer, decoder layer.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

using nn::MultiHeadAttention;

/// The frame around every sublayer f: a residual connection, dropout and a LayerNorm.
///   post: LayerNorm(x + Dropout(f(x)))     Vaswani et al. 2017, section 3.1
///   pre:  x + Dropout(f(LayerNorm(x)))     Xiong et al. 2020
///   none: x + Dropout(f(x))
/// Config::residual = false leaves out "x +".
class Residual {
 public:
  explicit Residual(const Config& config)
      : norm(config.d_model),
        dropout(config.dropout.sublayer),
        order_(config.norm),
        has_residual_(config.residual) {}

  /// The sublayer f in its frame; f takes and returns a tensor of the shape of x.
  template <class Sublayer>
  Tensor operator()(const Tensor& x, Sublayer&& sublayer) {
    const Tensor residual = has_residual_ ? x : Tensor::zeros(x.shape());
    switch (order_) {
      case Norm::post:
        return norm(residual, sublayer(x), dropout.next());
      case Norm::pre:
        return residual_dropout(residual, sublayer(norm(x)), dropout.next());
      case Norm::none:
        return residual_dropout(residual, sublayer(x), dropout.next());
    }
    fail("Residual: there is no norm order {}", static_cast<int>(order_));
  }

  /// Shows the LayerNorm by this name, if there is one.
  void visit_norm(nn::Visitor& visitor, const char* name) {
    if (order_ != Norm::none) visitor(name, norm);
  }

  nn::LayerNorm norm;
  nn::Dropout dropout;

 private:
  Norm order_;
  bool has_residual_;
};

/// Self-attention, then the feed-forward network.
class EncoderLayer : public nn::Module {
 public:
  EncoderLayer(const Config& config, Random& random);
  /// x[source tokens, d_model]
  Tensor operator()(const Tensor& x, const Segments& source);
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
  /// `source` says which rows of the memory each sentence looks at.
  Tensor operator()(const Tensor& x, const Tensor& memory, const Segments& target, const Segments& source);

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

/// Layers one after another and, if the configuration has one, a LayerNorm after the last.
template <class Layer>
class Stack : public nn::Module {
 public:
  Stack(const Config& config, Index depth, Random& random) {
    for (Index i = 0; i < depth; ++i) layers.emplace_back(config, random);
    if (config.has_final_norm()) norm.emplace(config.d_model);
  }

  /// LayerNorm(x); x itself if there is none.
  Tensor final_norm(const Tensor& x) const { return norm ? (*norm)(x) : x; }

  void visit(nn::Visitor& visitor) override {
    visitor("layers", layers);
    if (norm) visitor("norm", *norm);
  }

  std::vector<Layer> layers;
  std::optional<nn::LayerNorm> norm;
};

/// The input of the first layer: Dropout(embedding * sqrt(d_model) + PE(position)) (Vaswani et al. 2017,
/// sections 3.4, 3.5 and 5.4), or with other positions (nn/positions.h).
class PositionedEmbedding {
 public:
  PositionedEmbedding(nn::Embedding token_embedding, const nn::Positions::Settings& positions,
                      double dropout_rate, Random& random)
      : embedding(std::move(token_embedding)),
        positional_encoding(embedding.weight.size(1), positions, random),
        dropout(dropout_rate) {}

  /// [tokens, d_model] of tokens at the given positions of their sentences.
  Tensor operator()(std::span<const std::int32_t> ids, std::span<const std::int32_t> positions) {
    return dropout(positional_encoding(embedding(ids), positions));
  }
  Tensor operator()(const PackedSequences& sequences) { return (*this)(sequences.ids, positions(sequences)); }

  /// Shows the embedding by this name, and the dropout.
  void visit_embedding(nn::Visitor& visitor, const std::string& name) {
    visitor(name, embedding);
    visitor(dropout);
  }
  /// Shows the parameters of the positions, if they have some.
  void visit_positions(nn::Visitor& visitor) { visitor("positions", positional_encoding); }

  nn::Embedding embedding;
  nn::PositionalEncoding positional_encoding;
  nn::Dropout dropout;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
