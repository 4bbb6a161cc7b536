// Transformers with the variants of multi-head attention: the same numbers as PyTorch code that follows the
// papers' equations, in double precision (tests/fixtures/README.md says what is in the files).
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/transformer/recurrent/support.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

Config variant_config(const nlohmann::json& c) {
  const std::map<std::string, nn::PositionKind> kinds{{"sinusoidal", nn::PositionKind::sinusoidal},
                                                      {"relative", nn::PositionKind::relative},
                                                      {"rotary", nn::PositionKind::rotary},
                                                      {"alibi", nn::PositionKind::alibi}};
  const std::map<std::string, PositionSides> sides{{"both", PositionSides::both},
                                                   {"encoder", PositionSides::encoder},
                                                   {"decoder", PositionSides::decoder}};
  const std::map<std::string, Normaliser> normalisers{{"softmax", Normaliser::softmax},
                                                      {"sparsemax", Normaliser::sparsemax},
                                                      {"relu", Normaliser::relu},
                                                      {"sigmoid", Normaliser::sigmoid}};
  Config config{.source_vocabulary = 12,
                .target_vocabulary = 12,
                .d_model = 8,
                .heads = 2,
                .d_ff = 6,
                .encoder_layers = 1,
                .decoder_layers = 1,
                .dropout = DropoutRates::all(0)};
  config.positions = {.kind = kinds.at(c.at("kind")), .base = c.at("base"), .radius = c.at("radius")};
  config.position_sides = sides.at(c.at("sides"));
  config.multi_head = {.scaled = c.at("scaled"),
                       .normaliser = normalisers.at(c.at("normaliser")),
                       .shared_key_value = c.at("shared_key_value")};
  return config;
}

struct Variants {
  std::map<std::string, Tensor> tensors =
      nn::load_safetensors(REGARD_FIXTURES "/pytorch/attention.safetensors");
  nlohmann::json cases = nlohmann::json::parse(std::ifstream(REGARD_FIXTURES "/pytorch/attention.json"));
  Batch batch = make_batch({{4, 7, 5, 7, 10}, {6, 4, 8}, {5, 10, 4, 6, 8, 7, 5}, {8}},
                           {{9, 4, 11, 6}, {5, 5, 8, 10, 7, 4}, {11}, {6, 9}});
};

}  // namespace

TEST_CASE("PyTorch: every variant of multi-head attention, its values and its gradients") {
  const Variants variants;
  CHECK(variants.cases.size() == 12);
  for (const auto& [name, c] : variants.cases.items()) {
    Random random(1);
    EncoderDecoder model = make_transformer(variant_config(c), random);
    check_against_pytorch(model, variants.batch, name, variants.tensors);
  }
}

TEST_CASE("PyTorch: the same weights with another variant give other numbers") {
  const Variants variants;
  const auto with = [&](const std::string& name, const char* key, const nlohmann::json& value) {
    nlohmann::json c = variants.cases.at(name);
    c[key] = value;
    Random random(1);
    EncoderDecoder model = make_transformer(variant_config(c), random);
    for (const auto& [parameter, tensor] : model.parameters())
      std::ranges::copy(variants.tensors.at(name + "/weights/" + parameter).values(), tensor.data());
    return error(model.logits(variants.batch), variants.tensors.at(name + "/logits"));
  };
  CHECK(with("rotary", "kind", "rotary") < 1e-11);
  CHECK(with("rotary", "base", 9000.0) > 1e-5);
  CHECK(with("rotary", "kind", "alibi") > 1e-3);
  CHECK(with("rotary", "sides", "encoder") > 1e-3);
  CHECK(with("alibi", "scaled", false) > 1e-3);
  CHECK(with("sigmoid", "normaliser", "softmax") > 1e-3);
}
