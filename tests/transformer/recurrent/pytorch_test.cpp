// The same numbers as PyTorch in double precision: recurrent layers, and code that follows the papers'
// equations for recurrent models.
#include "tests/catch.h"
#include "tests/transformer/pytorch_configurations.h"
#include "tests/transformer/pytorch_fixtures.h"
#include "tests/transformer/recurrent/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

RecurrentConfig recurrent_config(const nlohmann::json& all, const nlohmann::json& model) {
  using nn::ScoreKind;
  return {.d_model = all.at("d_model"),
          .cell = choice<nn::Cell>(model.at("cell"), {{"lstm", nn::Cell::lstm}, {"gru", nn::Cell::gru}}),
          .encoder_layers = model.at("layers"),
          .decoder_layers = model.at("layers"),
          .bidirectional = model.at("bidirectional"),
          .reverse_source = model.at("reverse"),
          .attention = {.kind = model.at("kind") == "none" ? RecurrentAttentionKind::none
                                                           : RecurrentAttentionKind::soft,
                        .score =
                            choice<ScoreKind>(model.at("score"), {{"dot", ScoreKind::dot},
                                                                  {"scaled_dot", ScoreKind::scaled_dot},
                                                                  {"general", ScoreKind::general},
                                                                  {"additive", ScoreKind::additive},
                                                                  {"linear_concat", ScoreKind::linear_concat},
                                                                  {"location", ScoreKind::location},
                                                                  {"cosine", ScoreKind::cosine}}),
                        .normaliser = normaliser_of(model),
                        .window = choice<nn::AttentionWindow>(model.at("window"),
                                                              {{"global", nn::AttentionWindow::global},
                                                               {"local_m", nn::AttentionWindow::local_m},
                                                               {"local_p", nn::AttentionWindow::local_p}}),
                        .radius = all.at("radius"),
                        .order = model.at("order") == "context_first" ? AttentionOrder::context_first
                                                                      : AttentionOrder::state_first,
                        .input_feeding = model.at("feeding"),
                        .fixed_context = model.at("fixed"),
                        .positions = all.at("positions")},
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
