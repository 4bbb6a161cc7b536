// The same numbers as PyTorch in double precision: torch.nn.Transformer, code that follows the papers'
// equations for the variants of attention, recurrent layers and models, and models that read images.
// tests/fixtures/README.md says what is in the files.
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "autograd/graph.h"
#include "autograd/ops.h"
#include "tests/catch.h"
#include "tests/transformer/images/support.h"
#include "tests/transformer/pytorch_configurations.h"

using namespace regard;
using namespace regard::tests;

namespace {

struct Fixtures {
  explicit Fixtures(const std::string& name)
      : tensors(nn::load_safetensors(REGARD_FIXTURES "/pytorch/" + name + ".safetensors")) {
    if (std::ifstream json(REGARD_FIXTURES "/pytorch/" + name + ".json"); json)
      description = nlohmann::json::parse(json);
  }

  std::map<std::string, Tensor> tensors;
  nlohmann::json description;
};

/// The numbers of one model, whose names begin with `prefix`.
struct Expected {
  const Tensor& operator()(const std::string& name) const { return fixtures.tensors.at(prefix + name); }
  bool has(const std::string& name) const { return fixtures.tensors.contains(prefix + name); }

  /// Of the parameters in one group: weights/, gradients/ or adam3/.
  std::set<std::string> names(const std::string& group) const {
    std::set<std::string> result;
    for (const auto& [name, tensor] : fixtures.tensors)
      if (name.starts_with(prefix + group)) result.insert(name.substr((prefix + group).size()));
    return result;
  }

  /// Gives the model PyTorch's weights, where there are any.
  void load(EncoderDecoder& model) const {
    for (const auto& [name, tensor] : model.parameters())
      if (has("weights/" + name)) std::ranges::copy((*this)("weights/" + name).values(), tensor.data());
  }

  const Fixtures& fixtures;
  std::string prefix;
};

/// Compares names and shapes of the parameters, memory, logits, losses and all gradients, with the projection
/// and the loss in one operation and in two.
void check_against_pytorch(EncoderDecoder model, const Batch& batch, const Expected& expected) {
  INFO(expected.prefix);
  expected.load(model);
  const std::vector<std::string> parameters = names(model);
  const std::set<std::string> ours(parameters.begin(), parameters.end());
  CHECK(ours == expected.names("weights/"));
  CHECK(ours == expected.names("gradients/"));
  for (const char* memory : {"encoder_output", "memory"})
    if (expected.has(memory)) CHECK(error(model.encode(batch.source).rows, expected(memory)) < 1e-12);
  CHECK(error(model.logits(batch), expected("logits")) < 1e-11);
  if (expected.has("loss_unsmoothed"))
    CHECK(error(model.loss(batch), numbers(expected("loss_unsmoothed"))) < 1e-12);
  const CrossEntropyOptions options{.label_smoothing = 0.1};
  for (const bool fused : {true, false}) {
    if (!fused && !expected.has("loss_unsmoothed")) continue;  // the decoder may add a term to the loss
    const Tensor loss =
        fused ? model.loss(batch, options) : cross_entropy(model.logits(batch), batch.target_output, options);
    CHECK(loss.item() == Approx(expected("loss").item()).epsilon(1e-12));
    for (const Tensor& tensor : tensors(model)) tensor.zero_grad();
    loss.backward();
    for (const auto& [parameter, tensor] : model.parameters()) {
      INFO(parameter);
      CHECK(tensor.shape() == expected("weights/" + parameter).shape());
      const Tensor gradient = tensor.grad() ? tensor.grad() : Tensor::zeros(tensor.shape());
      const Numbers exact = numbers(expected("gradients/" + parameter));
      // The query's part of linear_concat has no gradient; both sides have rounding errors of it.
      if (std::ranges::all_of(exact, [](double x) { return std::abs(x) < 1e-15; }))
        CHECK(error(numbers(gradient), Numbers(exact.size(), 0)) < 1e-15);
      else
        CHECK(error(numbers(gradient), exact) < 1e-10);
    }
  }
}

Batch batch_of(const nlohmann::json& description) {
  return make_batch(description.at("sources").get<std::vector<Ids>>(),
                    description.at("targets").get<std::vector<Ids>>());
}

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

/// PyTorch's states [layers * directions, sentences, hidden], one tensor for each layer and direction.
Tensor state_of(const Tensor& all, Index layer) {
  const Index sentences = all.size(1), hidden = all.size(2);
  return all.view({sentences, hidden}, layer * sentences * hidden).clone();
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

TEST_CASE("PyTorch: two layers in both directions over sentences of different lengths") {
  const Fixtures fixtures("recurrent");
  for (const std::string name : {"gru", "lstm"}) {
    INFO(name);
    const auto fixture = [&](const std::string& tensor) { return fixtures.tensors.at(name + tensor); };
    Random random(1);
    const bool lstm = name == "lstm";
    nn::Recurrent layer(lstm ? nn::Cell::lstm : nn::Cell::gru,
                        {.input = 4, .hidden = 3, .layers = 2, .bidirectional = true}, random);
    for (const auto& [parameter, tensor] : layer.parameters())
      std::ranges::copy(fixture("/weights/" + parameter).values(), tensor.data());
    const auto lengths = fixture("/lengths").values();
    const Tensor x = fixture("/x").clone().set_requires_grad();
    std::vector<nn::RecurrentState> initial;
    for (Index i = 0; i < 4; ++i) {
      initial.push_back({state_of(fixture("/h0"), i).set_requires_grad(), {}});
      if (lstm) initial.back().c = state_of(fixture("/c0"), i).set_requires_grad();
    }
    const nn::Recurrent::Output output = layer(x, offsets({lengths.begin(), lengths.end()}), initial);
    CHECK(error(output.rows, fixture("/y")) < 1e-12);
    Tensor objective = sum(output.rows * fixture("/dy"));
    for (Index i = 0; i < 4; ++i) {
      const nn::RecurrentState& state = output.states[to_size(i)];
      CHECK(error(state.h, state_of(fixture("/h"), i)) < 1e-12);
      objective = objective + sum(state.h * state_of(fixture("/dh"), i));
      if (!lstm) continue;
      CHECK(error(state.c, state_of(fixture("/c"), i)) < 1e-12);
      objective = objective + sum(state.c * state_of(fixture("/dc"), i));
    }
    objective.backward();
    CHECK(error(x.grad(), fixture("/dx")) < 1e-10);
    for (const auto& [parameter, tensor] : layer.parameters()) {
      INFO(parameter);
      CHECK(error(tensor.grad(), fixture("/gradients/" + parameter)) < 1e-10);
    }
    for (Index i = 0; i < 4; ++i) {
      CHECK(error(initial[to_size(i)].h.grad(), state_of(fixture("/dh0"), i)) < 1e-10);
      if (lstm) CHECK(error(initial[to_size(i)].c.grad(), state_of(fixture("/dc0"), i)) < 1e-10);
    }
  }
}

TEST_CASE("PyTorch: whole recurrent models, each score in both orders and with input feeding") {
  const Fixtures fixtures("recurrent");
  const nlohmann::json& all = fixtures.description;
  for (const auto& [name, c] : all.at("models").items()) {
    Random random(1);
    check_against_pytorch(make_recurrent(recurrent_config(all, c),
                                         {.source_vocabulary = all.at("vocabulary"),
                                          .target_vocabulary = all.at("vocabulary"),
                                          .width = all.at("d_model"),
                                          .shared = SharedEmbeddings::none},
                                         random),
                          batch_of(all), {fixtures, name + "/"});
  }
}

TEST_CASE("PyTorch: whole models that read images") {
  const Fixtures fixtures("images");
  // The numbers of make_image_fixtures.py.
  const Planes planes{{8, 6}, {4, 4}, {6, 10}};
  constexpr Index vocabulary = 12, width = 4;
  std::vector<Image> images;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    images.push_back({.height = planes[i].height, .width = planes[i].width});
    for (const Real value : fixtures.tensors.at("image_" + std::to_string(i)).values())
      images.back().pixels.push_back(static_cast<std::uint8_t>(value));
  }
  Batch batch = make_batch({{4}, {4}, {4}}, {{9, 4, 11, 6}, {5, 5, 8, 10, 7, 4}, {11}});
  batch.source = pack_images(images);

  RecurrentConfig xu = recurrent_preset("xu2015");
  xu.d_model = width;
  xu.attention.doubly_stochastic = 0.7;
  const RecurrentConfig none{.d_model = width, .attention = {.kind = RecurrentAttentionKind::none}};
  Config vit = small_vit();
  vit.d_model = width;
  vit.d_ff = 6;
  check_against_pytorch(with_recurrent_decoder(small_convolutional(width, 1), xu, vocabulary, 2), batch,
                        {fixtures, "xu2015/"});
  check_against_pytorch(with_recurrent_decoder(small_convolutional(width, 1), none, vocabulary, 2), batch,
                        {fixtures, "none/"});
  check_against_pytorch(make_vit(vit, 2, vocabulary, 1), batch, {fixtures, "vit/"});
}
