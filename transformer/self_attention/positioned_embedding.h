#pragma once

#include <cstdint>
#include <span>

#include "nn/dropout.h"
#include "nn/layers.h"
#include "nn/positional_encoding.h"
#include "transformer/batch.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The input of the first layer: Dropout(embedding * sqrt(d_model) + PE(position)) (Vaswani et al. 2017,
/// sections 3.4, 3.5 and 5.4), or with other positions (nn/positional_encoding.h).
class PositionedEmbedding {
 public:
  PositionedEmbedding(nn::Embedding token_embedding, const nn::PositionalEncoding::Settings& positions,
                      double dropout_rate, Random& random)
      : embedding(std::move(token_embedding)),
        positional_encoding(embedding.weight.size(1), positions, random),
        dropout(dropout_rate) {}

  /// [tokens, d_model] of tokens at the given positions of their sentences.
  Tensor operator()(std::span<const std::int32_t> ids, std::span<const std::int32_t> positions) {
    return dropout(positional_encoding(embedding(ids), positions));
  }
  Tensor operator()(const PackedSequences& sequences) { return (*this)(sequences.ids, positions(sequences)); }

  void visit_embedding(nn::Visitor& visitor, const std::string& name) {
    visitor(name, embedding);
    visitor(dropout);
  }
  void visit_positions(nn::Visitor& visitor) { visitor("positions", positional_encoding); }

  nn::Embedding embedding;
  nn::PositionalEncoding positional_encoding;
  nn::Dropout dropout;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
