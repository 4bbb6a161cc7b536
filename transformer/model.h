#pragma once

#include <optional>
#include <span>
#include <vector>

#include "autograd/index.h"
#include "autograd/ops/cross_entropy.h"
#include "nn/positional_encoding.h"
#include "transformer/batch.h"
#include "transformer/self_attention/layers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// A stack of layers and, if the configuration has one, a LayerNorm after the last.
template <class Layer>
class Stack : public nn::Module {
 public:
  Stack(const Config& config, Index depth, Random& random) {
    for (Index i = 0; i < depth; ++i) layers.emplace_back(config, random);
    if (config.has_final_norm()) norm.emplace(config.d_model);
  }
  Tensor finish(const Tensor& x) const { return norm ? (*norm)(x) : x; }
  void visit(nn::Visitor& visitor) override {
    for (std::size_t i = 0; i < layers.size(); ++i) visitor("layers." + std::to_string(i), layers[i]);
    if (norm) visitor("norm", *norm);
  }

  std::vector<Layer> layers;
  std::optional<nn::LayerNorm> norm;
};

/// The attention weights of all layers: [layer][sentence] -> [heads, queries, keys].
struct AttentionWeights {
  std::vector<MultiHeadAttention::Weights> encoder_self;
  std::vector<DecoderLayer::Weights> decoder;
};

/// The Transformer (Vaswani et al. 2017, figure 1):
///
///   source ids -> embedding + position -> encoder layers -> memory
///   target ids -> embedding + position -> decoder layers (looking at the memory) -> projection -> logits
///
/// Sentences are packed, one after another without padding; only attention is told where each begins.
class Transformer : public nn::Module {
  Config config_;  // first, so that it is validated before anything is made after it

 public:
  /// Throws Error if the configuration makes no model (validate).
  Transformer(const Config& config, Random& random);

  /// Mean cross-entropy of the targets; what training minimises.
  Tensor loss(const Batch& batch, const CrossEntropyOptions& options = {});
  /// logits[target tokens, target_vocabulary]
  Tensor logits(const Batch& batch);

  /// The memory [source tokens, d_model].
  Tensor encode(const PackedSequences& source, AttentionWeights* weights = nullptr);
  /// The last decoder layer's output [target tokens, d_model].
  Tensor decode(const PackedSequences& target, const Tensor& memory, const PackedSequences& source,
                AttentionWeights* weights = nullptr);
  /// logits[rows, target_vocabulary] of decoder outputs.
  Tensor project(const Tensor& hidden) const;
  /// Embedding plus position, under dropout, of target tokens at the given positions of their sentences.
  Tensor embed_target(std::span<const std::int32_t> ids, std::span<const std::int32_t> positions);

  void visit(nn::Visitor& visitor) override;
  const Config& config() const { return config_; }

  nn::Embedding src_embed, tgt_embed;
  Tensor generator;  ///< [target_vocabulary, d_model], no bias
  nn::SinusoidalPositionalEncoding positional_encoding;
  nn::Dropout source_dropout, target_dropout;
  Stack<EncoderLayer> encoder;
  Stack<DecoderLayer> decoder;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
