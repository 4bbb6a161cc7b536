#pragma once

#include <optional>
#include <string>

#include "autograd/machine/real.h"
#include "nn/layers.h"
#include "nn/multi_head_attention.h"
#include "nn/positions.h"
#include "transformer/embeddings.h"

// The settings of a Transformer.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The order of LayerNorm and the sublayer. post: LayerNorm(x + Sublayer(x)), Vaswani et al. 2017
/// section 3.1. pre: x + Sublayer(LayerNorm(x)), Xiong et al. 2020, which trains deep models without warm-up.
/// none: x + Sublayer(x), to see what the norm is good for.
enum class Norm { post, pre, none };

/// Probabilities of dropping a value, for four places in the model.
struct DropoutRates {
  double embedding = 0.1;     ///< on the sum of embedding and position
  double sublayer = 0.1;      ///< on each sublayer's output, before it is added to the residual
  double attention = 0.1;     ///< on the attention weights
  double feed_forward = 0.1;  ///< on the inner activation of the feed-forward network

  static DropoutRates all(double rate) { return {rate, rate, rate, rate}; }  ///< this rate in all four places
};

/// The side that gets the positions of Config::positions. The other side has none.
enum class PositionSides { both, encoder, decoder };

/// The shape of a Transformer. The defaults are the base model of Vaswani et al. 2017, table 3.
struct Config {
  Index source_vocabulary = 0;
  Index target_vocabulary = 0;
  Index d_model = 512;
  Index heads = 8;
  Index d_ff = 2048;
  Index encoder_layers = 6;
  Index decoder_layers = 6;
  Norm norm = Norm::post;
  bool residual = true;          ///< false: Sublayer(x) stands where x + Sublayer(x) would
  bool scaled_embedding = true;  ///< embeddings are multiplied by sqrt(d_model) (section 3.4)
  /// One more LayerNorm after the last layer. Unset: as the norm order needs it (pre: yes, post: no).
  std::optional<bool> final_norm = std::nullopt;
  nn::Activation activation = nn::Activation::relu;  ///< of the feed-forward networks
  nn::Positions::Settings positions = {};
  PositionSides position_sides = PositionSides::both;
  nn::MultiHeadAttention::Variant multi_head = {};  ///< of all attentions
  SharedEmbeddings shared_embeddings = SharedEmbeddings::all;
  bool generator_bias = false;  ///< the output projection has a bias
  DropoutRates dropout = {};

  /// Final norm or none, as set, or as the norm order needs it.
  bool has_final_norm() const { return final_norm.value_or(norm == Norm::pre); }
  /// The positions of one side: of PositionSides::encoder or decoder.
  nn::Positions::Settings positions_of(PositionSides side) const;
  /// The self-attention of one side, and the attention to the memory.
  nn::MultiHeadAttention::Settings self_attention(PositionSides side) const;
  nn::MultiHeadAttention::Settings memory_attention() const;  ///< of the decoder to the memory
  EmbeddingSettings embeddings() const;                       ///< for make_embeddings
};

/// `base` (Vaswani et al. 2017), `tiny` (Wu et al. 2021: 4+4 layers, 128, 4 heads, 256, dropout 0.3) or
/// `toy` (2+2 layers, 64, 4 heads, 128, dropout 0.1). Throws Error for any other name, listing the known.
Config preset(const std::string& name);

/// Throws Error that names the first setting out of its range, and the range. The parts of the model check
/// the dropout rates, and what depends on the vocabularies.
void check(const Config& config);

}}}  // namespace regard::REGARD_PRECISION::transformer
