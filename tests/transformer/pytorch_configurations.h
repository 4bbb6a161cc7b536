// The configurations in the files of tests/fixtures/pytorch.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/transformer/support.h"

namespace regard::tests {

template <class T>
T choice(const nlohmann::json& name, const std::map<std::string, T>& choices) {
  return choices.at(name.get<std::string>());
}

inline Normaliser normaliser_of(const nlohmann::json& c) {
  return choice<Normaliser>(c.at("normaliser"), {{"softmax", Normaliser::softmax},
                                                 {"sparsemax", Normaliser::sparsemax},
                                                 {"relu", Normaliser::relu},
                                                 {"sigmoid", Normaliser::sigmoid}});
}

inline Config transformer_config(const nlohmann::json& c) {
  return {.source_vocabulary = c.at("source_vocabulary"),
          .target_vocabulary = c.at("target_vocabulary"),
          .d_model = c.at("d_model"),
          .heads = c.at("heads"),
          .d_ff = c.at("d_ff"),
          .encoder_layers = c.at("encoder_layers"),
          .decoder_layers = c.at("decoder_layers"),
          .norm = c.at("norm") == "pre" ? Norm::pre : Norm::post,
          .final_norm = c.at("final_norm").get<bool>(),
          .shared_embeddings = choice<SharedEmbeddings>(c.at("shared_embeddings"),
                                                        {{"none", SharedEmbeddings::none},
                                                         {"target_output", SharedEmbeddings::target_output},
                                                         {"all", SharedEmbeddings::all}}),
          .dropout = DropoutRates::all(0)};
}

inline Config variant_config(const nlohmann::json& c) {
  Config config = small_config();
  config.source_vocabulary = config.target_vocabulary = 12;
  config.d_ff = 6;
  config.encoder_layers = config.decoder_layers = 1;
  using Kind = nn::PositionKind;
  config.positions = {.kind = choice<Kind>(c.at("kind"), {{"sinusoidal", Kind::sinusoidal},
                                                          {"relative", Kind::relative},
                                                          {"rotary", Kind::rotary},
                                                          {"alibi", Kind::alibi}}),
                      .base = c.at("base"),
                      .radius = c.at("radius")};
  config.position_sides = choice<PositionSides>(c.at("sides"), {{"both", PositionSides::both},
                                                                {"encoder", PositionSides::encoder},
                                                                {"decoder", PositionSides::decoder}});
  config.multi_head = {
      .scaled = c.at("scaled"), .normaliser = normaliser_of(c), .shared_key_value = c.at("shared_key_value")};
  return config;
}

}  // namespace regard::tests
