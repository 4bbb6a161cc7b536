// Recurrent layers and whole recurrent models: the same numbers as PyTorch in double precision
// (tests/fixtures/README.md says what is in the file).
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "autograd/graph.h"
#include "autograd/ops.h"
#include "tests/catch.h"
#include "tests/transformer/recurrent/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

const std::map<std::string, Tensor>& fixtures() {
  static const auto all = nn::load_safetensors(REGARD_FIXTURES "/pytorch/recurrent.safetensors");
  return all;
}
const Tensor& fixture(const std::string& name) { return fixtures().at(name); }

const nlohmann::json& description() {
  static const auto json = nlohmann::json::parse(std::ifstream(REGARD_FIXTURES "/pytorch/recurrent.json"));
  return json;
}

template <class T>
T choice(const nlohmann::json& name, const std::map<std::string, T>& choices) {
  return choices.at(name.get<std::string>());
}

RecurrentConfig config_of(const nlohmann::json& c) {
  using nn::ScoreKind;
  return {
      .d_model = description().at("d_model"),
      .cell = choice<nn::Cell>(c.at("cell"), {{"lstm", nn::Cell::lstm}, {"gru", nn::Cell::gru}}),
      .encoder_layers = c.at("layers"),
      .decoder_layers = c.at("layers"),
      .bidirectional = c.at("bidirectional"),
      .reverse_source = c.at("reverse"),
      .attention =
          {.kind = c.at("kind") == "none" ? RecurrentAttentionKind::none : RecurrentAttentionKind::soft,
           .score = choice<ScoreKind>(c.at("score"), {{"dot", ScoreKind::dot},
                                                      {"scaled_dot", ScoreKind::scaled_dot},
                                                      {"general", ScoreKind::general},
                                                      {"additive", ScoreKind::additive},
                                                      {"linear_concat", ScoreKind::linear_concat},
                                                      {"location", ScoreKind::location},
                                                      {"cosine", ScoreKind::cosine}}),
           .normaliser = choice<Normaliser>(c.at("normaliser"), {{"softmax", Normaliser::softmax},
                                                                 {"sparsemax", Normaliser::sparsemax},
                                                                 {"relu", Normaliser::relu}}),
           .window = choice<nn::AttentionWindow>(c.at("window"), {{"global", nn::AttentionWindow::global},
                                                                  {"local_m", nn::AttentionWindow::local_m},
                                                                  {"local_p", nn::AttentionWindow::local_p}}),
           .radius = description().at("radius"),
           .order =
               c.at("order") == "context_first" ? AttentionOrder::context_first : AttentionOrder::state_first,
           .input_feeding = c.at("feeding"),
           .fixed_context = c.at("fixed"),
           .positions = description().at("positions")},
      .embedding_dropout = 0,
      .dropout = 0};
}

/// PyTorch's states [layers * directions, sentences, hidden], one tensor for each layer and direction.
Tensor state_of(const Tensor& all, Index layer) {
  const Index sentences = all.size(1), hidden = all.size(2);
  return all.view({sentences, hidden}, layer * sentences * hidden).clone();
}

}  // namespace

TEST_CASE("PyTorch: two layers in both directions over sentences of different lengths") {
  for (const std::string name : {"gru", "lstm"}) {
    INFO(name);
    Random random(1);
    const bool lstm = name == "lstm";
    nn::Recurrent layer(lstm ? nn::Cell::lstm : nn::Cell::gru,
                        {.input = 4, .hidden = 3, .layers = 2, .bidirectional = true}, random);
    for (const auto& [parameter, tensor] : layer.parameters())
      std::ranges::copy(fixture(name + "/weights/" + parameter).values(), tensor.data());
    const auto lengths = fixture(name + "/lengths").values();
    const Tensor x = fixture(name + "/x").clone().set_requires_grad();
    std::vector<nn::RecurrentState> initial;
    for (Index i = 0; i < 4; ++i) {
      initial.push_back({state_of(fixture(name + "/h0"), i).set_requires_grad(), {}});
      if (lstm) initial.back().c = state_of(fixture(name + "/c0"), i).set_requires_grad();
    }
    const nn::Recurrent::Output output = layer(x, offsets({lengths.begin(), lengths.end()}), initial);
    CHECK(error(output.rows, fixture(name + "/y")) < 1e-12);
    Tensor objective = sum(output.rows * fixture(name + "/dy"));
    for (Index i = 0; i < 4; ++i) {
      const nn::RecurrentState& state = output.states[to_size(i)];
      CHECK(error(state.h, state_of(fixture(name + "/h"), i)) < 1e-12);
      objective = objective + sum(state.h * state_of(fixture(name + "/dh"), i));
      if (!lstm) continue;
      CHECK(error(state.c, state_of(fixture(name + "/c"), i)) < 1e-12);
      objective = objective + sum(state.c * state_of(fixture(name + "/dc"), i));
    }
    objective.backward();
    CHECK(error(x.grad(), fixture(name + "/dx")) < 1e-10);
    for (const auto& [parameter, tensor] : layer.parameters()) {
      INFO(parameter);
      CHECK(error(tensor.grad(), fixture(name + "/gradients/" + parameter)) < 1e-10);
    }
    for (Index i = 0; i < 4; ++i) {
      CHECK(error(initial[to_size(i)].h.grad(), state_of(fixture(name + "/dh0"), i)) < 1e-10);
      if (lstm) CHECK(error(initial[to_size(i)].c.grad(), state_of(fixture(name + "/dc0"), i)) < 1e-10);
    }
  }
}

TEST_CASE("PyTorch: whole recurrent models, each score in both orders and with input feeding") {
  const Batch batch = make_batch(description().at("sources").get<std::vector<Ids>>(),
                                 description().at("targets").get<std::vector<Ids>>());
  for (const auto& [name, c] : description().at("models").items()) {
    Random random(1);
    const Index vocabulary = description().at("vocabulary");
    EncoderDecoder model = make_recurrent(config_of(c),
                                          {.source_vocabulary = vocabulary,
                                           .target_vocabulary = vocabulary,
                                           .width = description().at("d_model"),
                                           .shared = SharedEmbeddings::none},
                                          random);
    check_against_pytorch(model, batch, name, fixtures());
  }
}
