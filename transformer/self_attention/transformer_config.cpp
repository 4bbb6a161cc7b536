#include "transformer/self_attention/transformer_config.h"

#include <array>
#include <utility>

#include "autograd/error.h"

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

nn::PositionalEncoding::Settings Config::positions_of(PositionSides side) const {
  nn::PositionalEncoding::Settings settings = positions;
  if (position_sides != PositionSides::both && position_sides != side) settings.kind = nn::PositionKind::none;
  return settings;
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
  if (config.d_model % config.heads != 0)
    fail("heads ({}) must divide d_model ({})", config.heads, config.d_model);
  if (config.positions.kind == nn::PositionKind::rotary && config.d_model / config.heads % 2 != 0)
    fail("rotary positions turn pairs of columns, but a head has {} (d_model / heads); it must be even",
         config.d_model / config.heads);
  if (config.shared_embeddings == SharedEmbeddings::all &&
      config.source_vocabulary != config.target_vocabulary)
    fail("shared_embeddings is all, but the vocabularies have {} and {} entries; use a joint vocabulary",
         config.source_vocabulary, config.target_vocabulary);
  const std::array<std::pair<const char*, double>, 4> rates{{
      {"dropout.embedding", config.dropout.embedding},
      {"dropout.sublayer", config.dropout.sublayer},
      {"dropout.attention", config.dropout.attention},
      {"dropout.feed_forward", config.dropout.feed_forward},
  }};
  for (const auto& [name, rate] : rates)
    if (!(rate >= 0 && static_cast<Real>(rate) < 1))
      fail("{} is {}{}; it must be at least 0 and below 1", name, rate,
           rate > 0 && rate < 1 ? ", which rounds to 1" : "");
}

}}}  // namespace regard::REGARD_PRECISION::transformer
