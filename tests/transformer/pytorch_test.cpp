// The same numbers as torch.nn.Transformer in double precision: tests/fixtures/README.md says what is in the
// files.
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/catch.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr const char* cases[]{"post_norm_shared_all", "post_norm_final_norm_unshared",
                              "pre_norm_final_norm_shared_target_output", "pre_norm_unshared"};

struct Fixture {
  explicit Fixture(const std::string& name) {
    const std::string path = REGARD_FIXTURES "/pytorch/" + name;
    tensors = nn::load_safetensors(path + ".safetensors");
    const auto description = nlohmann::json::parse(std::ifstream(path + ".json"));
    batch = make_batch(description.at("sources").get<std::vector<Ids>>(),
                       description.at("targets").get<std::vector<Ids>>());
    const auto& c = description.at("configuration");
    const std::map<std::string, SharedEmbeddings> shared{{"none", SharedEmbeddings::none},
                                                         {"target_output", SharedEmbeddings::target_output},
                                                         {"all", SharedEmbeddings::all}};
    config = {.source_vocabulary = c.at("source_vocabulary"),
              .target_vocabulary = c.at("target_vocabulary"),
              .d_model = c.at("d_model"),
              .heads = c.at("heads"),
              .d_ff = c.at("d_ff"),
              .encoder_layers = c.at("encoder_layers"),
              .decoder_layers = c.at("decoder_layers"),
              .norm = c.at("norm") == "pre" ? Norm::pre : Norm::post,
              .final_norm = c.at("final_norm").get<bool>(),
              .shared_embeddings = shared.at(c.at("shared_embeddings")),
              .dropout = DropoutRates::all(0)};
    const auto& training = description.at("training");
    label_smoothing = training.at("label_smoothing");
    learning_rate = training.at("learning_rate");
    adam = {training.at("beta1"), training.at("beta2"), training.at("epsilon")};
    steps = training.at("steps");
  }

  /// Of the parameters in one group: weights, gradients or adam3.
  std::set<std::string> names(const std::string& group) const {
    std::set<std::string> result;
    for (const auto& [name, tensor] : tensors)
      if (name.starts_with(group + "/")) result.insert(name.substr(group.size() + 1));
    return result;
  }

  /// A model of this shape with the fixture's weights, where it has them.
  EncoderDecoder model(const Config& shape) const {
    Random random(1);
    EncoderDecoder result = make_transformer(shape, random);
    for (const auto& [name, tensor] : result.parameters())
      if (const auto found = tensors.find("weights/" + name); found != tensors.end())
        std::ranges::copy(found->second.values(), tensor.data());
    return result;
  }
  EncoderDecoder model() const { return model(config); }

  Numbers expected(const std::string& name) const { return numbers(tensors.at(name)); }

  std::map<std::string, Tensor> tensors;
  Config config;
  Batch batch;
  Real label_smoothing = 0;
  double learning_rate = 0;
  nn::Adam::Settings adam;
  int steps = 0;
};

}  // namespace

TEST_CASE("parameters have PyTorch's names and shapes, and there are no others") {
  for (const char* name : cases) {
    INFO(name);
    const Fixture fixture(name);
    EncoderDecoder model = fixture.model();
    std::set<std::string> ours;
    for (const auto& [parameter, tensor] : model.parameters()) {
      ours.insert(parameter);
      CHECK(tensor.shape() == fixture.tensors.at("weights/" + parameter).shape());
    }
    CHECK(ours == fixture.names("weights"));
    CHECK(ours == fixture.names("gradients"));
    CHECK(ours == fixture.names("adam3"));
  }
}

TEST_CASE("encoder output, logits and losses are PyTorch's") {
  for (const char* name : cases) {
    INFO(name);
    const Fixture fixture(name);
    EncoderDecoder model = fixture.model();
    const Batch& batch = fixture.batch;
    CHECK(error(model.encode(batch.source).rows, fixture.tensors.at("encoder_output")) < 1e-10);
    const Tensor logits = model.logits(batch);
    CHECK(error(logits, fixture.tensors.at("logits")) < 1e-10);
    for (const bool smoothed : {false, true}) {
      const CrossEntropyOptions options{.label_smoothing = smoothed ? fixture.label_smoothing : 0};
      const Numbers expected = fixture.expected(smoothed ? "loss" : "loss_unsmoothed");
      CHECK(error(model.loss(batch, options), expected) < 1e-10);
      CHECK(error(cross_entropy(logits, batch.target_output, options), expected) < 1e-10);
    }
  }
}

TEST_CASE("every parameter's gradient is PyTorch's") {
  for (const char* name : cases) {
    const Fixture fixture(name);
    const CrossEntropyOptions options{.label_smoothing = fixture.label_smoothing};
    for (const bool fused : {false, true}) {  // projection and loss in one operation, or two
      EncoderDecoder model = fixture.model();
      (fused ? model.loss(fixture.batch, options)
             : cross_entropy(model.logits(fixture.batch), fixture.batch.target_output, options))
          .backward();
      for (const auto& [parameter, tensor] : model.parameters()) {
        INFO(name << ", " << parameter);
        CHECK(error(tensor.grad(), fixture.tensors.at("gradients/" + parameter)) < 1e-10);
      }
    }
  }
}

TEST_CASE("after three steps of Adam, the weights are PyTorch's") {
  for (const char* name : cases) {
    const Fixture fixture(name);
    EncoderDecoder model = fixture.model();
    nn::Adam adam(model.parameters(), fixture.adam);
    REQUIRE(fixture.steps == 3);
    for (int step = 0; step < fixture.steps; ++step) {
      model.loss(fixture.batch, {.label_smoothing = fixture.label_smoothing}).backward();
      adam.step({.learning_rate = fixture.learning_rate});
    }
    for (const auto& [parameter, tensor] : model.parameters()) {
      INFO(name << ", " << parameter);
      CHECK(error(tensor, fixture.tensors.at("adam3/" + parameter)) < 1e-9);
      CHECK(error(tensor, fixture.tensors.at("weights/" + parameter)) > 1e-4);  // it has moved
    }
  }
}

TEST_CASE("another shape with the same weights gives other numbers") {
  for (const char* name : cases) {
    INFO(name);
    const Fixture fixture(name);
    const auto wrong_by = [&](auto change) {
      Config config = fixture.config;
      change(config);
      return error(fixture.model(config).logits(fixture.batch), fixture.tensors.at("logits"));
    };
    CHECK(wrong_by([](Config&) {}) < 1e-10);
    CHECK(wrong_by([](Config& c) { c.norm = c.norm == Norm::pre ? Norm::post : Norm::pre; }) > 1e-3);
    CHECK(wrong_by([](Config& c) { c.final_norm = !*c.final_norm; }) > 1e-3);
    CHECK(wrong_by([](Config& c) { c.heads = 4; }) > 1e-3);
    CHECK(wrong_by([](Config& c) { c.decoder_layers = 1; }) > 1e-3);
  }
}
