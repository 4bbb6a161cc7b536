#include "apps/recurrent/recurrent.h"

#include "apps/translation/settings/doors.h"
#include "autograd/machine/error.h"
#include "transformer/recurrent/recurrent_decoder.h"
#include "transformer/recurrent/recurrent_encoder.h"

namespace regard::translation {

using transformer::RecurrentAttention;
using transformer::RecurrentAttentionKind;

transformer::RecurrentConfig recurrent_config(const ModelSettings& model) {
  transformer::RecurrentConfig config = model.parts.of<transformer::RecurrentConfig>();
  config.d_model = model.config.d_model;
  config.encoder_layers = model.config.encoder_layers;
  config.decoder_layers = model.config.decoder_layers;
  config.embedding_dropout = model.config.dropout.embedding;
  config.dropout = model.config.dropout.sublayer;
  // The decoder's first state comes from the backward direction of a bidirectional encoder. Other encoders
  // have none.
  if (model.encoder != "recurrent") {
    config.bidirectional = false;
    config.encoder_width = 0;
  }
  return config;
}

ModelSettings recurrent_model_preset(const std::string& name) {
  const transformer::RecurrentConfig recurrent = transformer::recurrent_preset(name);
  ModelSettings model{.preset = name, .encoder = "recurrent", .decoder = "recurrent"};
  model.parts.of<transformer::RecurrentConfig>() = recurrent;
  model.config.d_model = recurrent.d_model;
  model.config.encoder_layers = recurrent.encoder_layers;
  model.config.decoder_layers = recurrent.decoder_layers;
  model.config.dropout = {.embedding = recurrent.embedding_dropout, .sublayer = recurrent.dropout};
  return model;
}

namespace {

void check_recurrent(const ModelSettings& model) { check(recurrent_config(model)); }

/// Returns the positions that the score `location` knows.
std::optional<KnownPositions> scored_positions(const ModelSettings& model) {
  const RecurrentAttention& attention = model.parts.of<transformer::RecurrentConfig>().attention;
  if (attention.kind == RecurrentAttentionKind::none || attention.score != nn::ScoreKind::location)
    return std::nullopt;
  return KnownPositions{attention.positions, "attention.positions"};
}

void check_shards(const Settings& settings) {
  if (settings.model.decoder == "recurrent" && settings.training.shards > 1 &&
      settings.model.parts.of<transformer::RecurrentConfig>().attention.kind == RecurrentAttentionKind::hard)
    fail(
        "training.shards is {}, but the model has hard attention, whose baseline is a moving average from "
        "batch to batch, so the pieces of a batch cannot be computed apart; set training.shards to 1",
        settings.training.shards);
}

std::unique_ptr<transformer::Encoder> make_encoder(const ModelSettings& model, const nn::Embedding& embedding,
                                                   Random& random) {
  return std::make_unique<transformer::RecurrentEncoder>(recurrent_config(model), embedding, random);
}

std::unique_ptr<transformer::Decoder> make_decoder(const ModelSettings& model, const nn::Embedding& embedding,
                                                   const transformer::Encoder& encoder, Random& random) {
  return std::make_unique<transformer::RecurrentDecoder>(recurrent_config(model), embedding, encoder.width(),
                                                         encoder.state_widths(), random);
}

}  // namespace

void open_recurrent_settings(Doors& doors) {
  doors.encoders.push_back({.name = "recurrent", .make = make_encoder, .check = check_recurrent});
  doors.decoders.push_back({.name = "recurrent",
                            .make = make_decoder,
                            .check = check_recurrent,
                            .source_positions = scored_positions});
  for (const char* name : {"cho2014", "sutskever2014", "bahdanau2015", "luong2015"})
    doors.presets.push_back({name, recurrent_model_preset});
  doors.settings.push_back(settings_door("model", describe_recurrent, check_shards));
}

}  // namespace regard::translation
