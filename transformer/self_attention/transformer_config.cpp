#include "transformer/self_attention/transformer_config.h"

#include <array>
#include <utility>

#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

Config preset(const std::string& name) {
  if (name == "base") return {};
  if (name == "tiny")
    return {.d_model = 128,
            .heads = 4,
            .d_ff = 256,
            .encoder_layers = 4,
            .decoder_layers = 4,
            .dropout = DropoutRates::all(0.3)};
  if (name == "toy")
    return {.d_model = 64, .heads = 4, .d_ff = 128, .encoder_layers = 2, .decoder_layers = 2};
  fail("there is no preset {}; give base, tiny or toy", name);
}

nn::Positions::Settings Config::positions_of(PositionSides side) const {
  nn::Positions::Settings settings = positions;
  if (position_sides != PositionSides::both && position_sides != side) settings.kind = nn::PositionKind::none;
  return settings;
}

nn::MultiHeadAttention::Settings Config::self_attention(PositionSides side) const {
  return {.d_model = d_model,
          .heads = heads,
          .dropout = dropout.attention,
          .positions = positions_of(side),
          .variant = multi_head};
}

nn::MultiHeadAttention::Settings Config::memory_attention() const {
  return {.d_model = d_model,
          .heads = heads,
          .dropout = dropout.attention,
          .reads_memory = true,
          .positions = {.kind = nn::PositionKind::none},
          .variant = multi_head};
}

EmbeddingSettings Config::embeddings() const {
  return {.source_vocabulary = source_vocabulary,
          .target_vocabulary = target_vocabulary,
          .width = d_model,
          .shared = shared_embeddings,
          .scaled = scaled_embedding,
          .generator_bias = generator_bias};
}

void check(const Config& config) {
  const std::array<std::pair<const char*, Index>, 7> counts{{
      {"source_vocabulary", config.source_vocabulary},
      {"target_vocabulary", config.target_vocabulary},
      {"d_model", config.d_model},
      {"heads", config.heads},
      {"d_ff", config.d_ff},
      {"encoder_layers", config.encoder_layers},
      {"decoder_layers", config.decoder_layers},
  }};
  for (const auto& [name, count] : counts)
    if (count < 1) fail("{} is {}; it must be at least 1", name, count);
  check(config.self_attention(config.position_sides));
}

}}}  // namespace regard::REGARD_PRECISION::transformer
