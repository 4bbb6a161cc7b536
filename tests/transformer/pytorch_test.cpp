// The same numbers as PyTorch in double precision: torch.nn.Transformer, and code that follows the papers'
// equations for the variants of attention. tests/fixtures/README.md says what is in the files.
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "autograd/graph.h"
#include "autograd/ops.h"
#include "tests/catch.h"
#include "tests/transformer/pytorch_configurations.h"
#include "tests/transformer/pytorch_fixtures.h"

using namespace regard;
using namespace regard::tests;

namespace {

EncoderDecoder untrained(const Config& config) {
  Random random(1);
  return make_transformer(config, random);
}

double logits_error(const Config& config, const Batch& batch, const Expected& expected) {
  EncoderDecoder model = untrained(config);
  expected.load(model);
  return error(model.logits(batch), expected("logits"));
}

constexpr const char* whole_transformers[]{"post_norm_shared_all", "post_norm_final_norm_unshared",
                                           "pre_norm_final_norm_shared_target_output", "pre_norm_unshared"};

Batch batch_of_variants() {
  return make_batch({{4, 7, 5, 7, 10}, {6, 4, 8}, {5, 10, 4, 6, 8, 7, 5}, {8}},
                    {{9, 4, 11, 6}, {5, 5, 8, 10, 7, 4}, {11}, {6, 9}});
}

}  // namespace

TEST_CASE("PyTorch: Transformers, and three steps of Adam") {
  for (const char* name : whole_transformers) {
    INFO(name);
    const Fixtures fixtures(name);
    const Expected expected{fixtures, ""};
    const Config config = transformer_config(fixtures.description.at("configuration"));
    const Batch batch = batch_of(fixtures.description);
    check_against_pytorch(untrained(config), batch, expected);

    const nlohmann::json& training = fixtures.description.at("training");
    REQUIRE(training.at("steps") == 3);
    EncoderDecoder model = untrained(config);
    expected.load(model);
    nn::Adam adam(model.parameters(), {training.at("beta1"), training.at("beta2"), training.at("epsilon")});
    for (int step = 0; step < 3; ++step) {
      model.loss(batch, {.label_smoothing = training.at("label_smoothing")}).backward();
      adam.step({.learning_rate = training.at("learning_rate")});
    }
    CHECK(expected.names("adam3/") == expected.names("weights/"));
    for (const auto& [parameter, tensor] : model.parameters()) {
      INFO(parameter);
      CHECK(error(tensor, expected("adam3/" + parameter)) < 1e-9);
      CHECK(error(tensor, expected("weights/" + parameter)) > 1e-4);  // it has moved
    }

    const auto wrong_by = [&](const auto& change) {
      Config other = config;
      change(other);
      return logits_error(other, batch, expected);
    };
    CHECK(wrong_by([](Config& c) { c.norm = c.norm == Norm::pre ? Norm::post : Norm::pre; }) > 1e-3);
    CHECK(wrong_by([](Config& c) { c.final_norm = !*c.final_norm; }) > 1e-3);
    CHECK(wrong_by([](Config& c) { c.heads = 4; }) > 1e-3);
    CHECK(wrong_by([](Config& c) { c.decoder_layers = 1; }) > 1e-3);
  }
}

TEST_CASE("PyTorch: every variant of multi-head attention; another variant gives other numbers") {
  const Fixtures fixtures("attention");
  CHECK(fixtures.description.size() == 12);
  for (const auto& [name, c] : fixtures.description.items())
    check_against_pytorch(untrained(variant_config(c)), batch_of_variants(), {fixtures, name + "/"});

  const auto with = [&](const std::string& name, const char* key, const nlohmann::json& value) {
    nlohmann::json c = fixtures.description.at(name);
    c[key] = value;
    return logits_error(variant_config(c), batch_of_variants(), {fixtures, name + "/"});
  };
  CHECK(with("rotary", "base", 9000.0) > 1e-5);
  CHECK(with("rotary", "kind", "alibi") > 1e-3);
  CHECK(with("rotary", "sides", "encoder") > 1e-3);
  CHECK(with("alibi", "scaled", false) > 1e-3);
  CHECK(with("sigmoid", "normaliser", "softmax") > 1e-3);
}
