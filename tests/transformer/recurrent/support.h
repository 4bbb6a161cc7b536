#pragma once

// What the tests of recurrent models share.

#include "tests/catch.h"
#include "tests/transformer/models.h"
#include "tests/transformer/support.h"
#include "transformer/recurrent/recurrent_decoder.h"
#include "transformer/recurrent/recurrent_encoder.h"

namespace regard::tests {

/// No dropout, width 6.
inline RecurrentConfig small_recurrent(const std::string& preset) {
  RecurrentConfig config = recurrent_preset(preset);
  config.d_model = 6;
  config.embedding_dropout = config.dropout = 0;
  config.attention.positions = 12;
  return config;
}

/// A model over a vocabulary of 11 whose parameters are all away from where they start.
inline EncoderDecoder make_recurrent_model(const RecurrentConfig& config, std::uint64_t seed,
                                           double amount = 0.8) {
  Random random(seed);
  EncoderDecoder model = make_recurrent(
      config, {.source_vocabulary = 11, .target_vocabulary = 11, .width = config.d_model}, random);
  randomise(model, seed + 1, amount);
  return model;
}

/// A decoder with this attention for an encoder of any kind.
inline MakeDecoder recurrent_decoder(const RecurrentAttention& attention) {
  return [=](const Size& size, const Embeddings& embeddings, const Encoder& encoder, Random& random) {
    const RecurrentConfig config{.d_model = size.width,
                                 .bidirectional = false,
                                 .attention = attention,
                                 .embedding_dropout = size.dropout,
                                 .dropout = size.dropout};
    return std::make_unique<RecurrentDecoder>(config, embeddings.target, encoder.width(),
                                              encoder.state_widths(), random);
  };
}

}  // namespace regard::tests
