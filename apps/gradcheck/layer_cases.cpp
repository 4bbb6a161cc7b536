#include <array>
#include <memory>

#include "apps/gradcheck/cases.h"
#include "autograd/error.h"
#include "autograd/ops.h"
#include "nn/attention.h"
#include "nn/layers.h"
#include "nn/multi_head_attention.h"
#include "nn/positional_encoding.h"
#include "nn/recurrent.h"

namespace regard::gradcheck_table {

namespace {

/// Makes a case with `x` and all parameters of a module as inputs. The parameters start at random values,
/// because a bias of 0 or a norm's weight of 1 would hide mistakes.
template <class Layer, class Function>
GradientCase layer_case(const std::string& name, std::shared_ptr<Layer> layer, std::vector<Tensor> x,
                        Function function, Random& random) {
  GradientCase result{name, {}, std::move(x), {}};
  for (std::size_t i = 0; i < result.inputs.size(); ++i) result.input_names.push_back(fmt::format("x{}", i));
  for (const nn::NamedParameter& parameter : layer->parameters()) {
    for (Real& value : parameter.tensor.values()) value += static_cast<Real>(random.uniform(-0.3, 0.3));
    result.inputs.push_back(parameter.tensor);
    result.input_names.push_back(parameter.name);
  }
  result.function = [layer, function](const std::vector<Tensor>& inputs) {
    layer->set_random(1, 1);
    return function(*layer, inputs);
  };
  return result;
}

/// The general attention layer with each score, normaliser and window.
void add_attention_layers(std::vector<GradientCase>& cases, Random& random) {
  const auto add = [&](const std::string& name, nn::Attention::Settings settings) {
    settings.query_width = settings.memory_width = 4;
    settings.radius = 1;
    settings.positions = 5;
    cases.push_back(layer_case(
        "Attention: " + name, std::make_shared<nn::Attention>(settings, random),
        {Tensor::normal({5, 4}, 0, 1, random), Tensor::normal({9, 4}, 0, 1, random)},
        [](nn::Attention& layer, const std::vector<Tensor>& x) {
          const std::array<std::int32_t, 5> positions{0, 1, 2, 0, 1};
          return layer(x[0], layer.prepare(x[1]), segments({0, 3, 5}, {0, 4, 9}), positions).context;
        },
        random));
  };
  using nn::ScoreKind;
  const nn::Attention::Settings plain{.query_width = 4, .memory_width = 4};
  const std::vector<std::pair<std::string, ScoreKind>> scores{
      {"dot", ScoreKind::dot},           {"scaled_dot", ScoreKind::scaled_dot},
      {"general", ScoreKind::general},   {"additive", ScoreKind::additive},
      {"location", ScoreKind::location}, {"linear_concat", ScoreKind::linear_concat},
      {"cosine", ScoreKind::cosine}};
  for (const auto& [name, score] : scores) {
    nn::Attention::Settings settings = plain;
    settings.score = score;
    add(name, settings);
  }
  nn::Attention::Settings settings = plain;
  settings.key_width = 4;
  settings.value_width = 3;
  add("keys and values of their own", settings);
  settings.normaliser = nn::Normaliser::sparsemax;
  add("sparsemax", settings);
  settings.normaliser = nn::Normaliser::relu;
  add("relu", settings);
  settings.normaliser = nn::Normaliser::softmax;
  settings.window = nn::AttentionWindow::local_m;
  add("local_m", settings);
  settings.window = nn::AttentionWindow::local_p;
  add("local_p", settings);
}

}  // namespace

std::vector<GradientCase> layer_cases() {
  Random random(7);
  using Inputs = std::vector<Tensor>;
  using nn::MultiHeadAttention;
  const auto normal = [&](const Shape& shape) { return Tensor::normal(shape, 0, 1, random); };
  const Segments self = segments({0, 3, 5}, {0, 3, 5}), cross = segments({0, 3, 5}, {0, 2, 6});
  const MultiHeadAttention::Settings attention{.d_model = 8, .heads = 2, .dropout = 0.2};
  std::vector<GradientCase> cases;

  cases.push_back(layer_case(
      "Linear", std::make_shared<nn::Linear>(4, 3, random), {normal({5, 4})},
      [](nn::Linear& layer, const Inputs& x) { return layer(x[0]); }, random));
  cases.push_back(layer_case(
      "Embedding", std::make_shared<nn::Embedding>(5, 4, random), {},
      [](nn::Embedding& layer, const Inputs&) {
        return layer(std::array<std::int32_t, 4>{1, 4, 1, 0});
      },
      random));
  cases.push_back(layer_case(
      "LayerNorm", std::make_shared<nn::LayerNorm>(6), {normal({4, 6})},
      [](nn::LayerNorm& layer, const Inputs& x) { return layer(x[0]); }, random));
  cases.push_back(layer_case(
      "LayerNorm: residual, dropout 0.3", std::make_shared<nn::LayerNorm>(6),
      {normal({4, 6}), normal({4, 6})},
      [](nn::LayerNorm& layer, const Inputs& x) {
        return layer(x[0], x[1], DropoutMask{0.3, 11});
      },
      random));
  cases.push_back(layer_case(
      "FeedForward: dropout 0.2", std::make_shared<nn::FeedForward>(4, 6, 0.2, random), {normal({5, 4})},
      [](nn::FeedForward& layer, const Inputs& x) { return layer(x[0]); }, random));
  cases.push_back(layer_case(
      "FeedForward: GELU, dropout 0.2",
      std::make_shared<nn::FeedForward>(4, 6, 0.2, random, nn::Activation::gelu), {normal({5, 4})},
      [](nn::FeedForward& layer, const Inputs& x) { return layer(x[0]); }, random));
  cases.push_back(layer_case(
      "MultiHeadAttention: self", std::make_shared<MultiHeadAttention>(attention, random), {normal({5, 8})},
      [=](MultiHeadAttention& layer, const Inputs& x) {
        return layer.self(x[0], self, MultiHeadAttention::Mask::none);
      },
      random));
  cases.push_back(layer_case(
      "MultiHeadAttention: self, causal", std::make_shared<MultiHeadAttention>(attention, random),
      {normal({5, 8})},
      [=](MultiHeadAttention& layer, const Inputs& x) {
        return layer.self(x[0], self, MultiHeadAttention::Mask::causal);
      },
      random));
  cases.push_back(layer_case(
      "MultiHeadAttention: cross", std::make_shared<MultiHeadAttention>(attention, random),
      {normal({5, 8}), normal({6, 8})},
      [=](MultiHeadAttention& layer, const Inputs& x) { return layer.cross(x[0], x[1], cross); }, random));
  for (const nn::Cell cell : {nn::Cell::gru, nn::Cell::lstm})
    cases.push_back(layer_case(
        cell == nn::Cell::gru ? "GRU: two layers, both directions, dropout 0.2"
                              : "LSTM: two layers, both directions, dropout 0.2",
        std::make_shared<nn::Recurrent>(
            cell,
            nn::Recurrent::Settings{
                .input = 3, .hidden = 4, .layers = 2, .bidirectional = true, .dropout = 0.2},
            random),
        {normal({6, 3})},
        [](nn::Recurrent& layer, const Inputs& x) {
          const nn::Recurrent::Output output = layer(x[0], {0, 2, 3, 6});
          std::vector<Tensor> all{output.rows};  // and the last states, which have a row for each sentence
          for (const nn::RecurrentState& state : output.states)
            for (const Tensor& part : {state.h, state.c})
              if (part) all.push_back(concat({part, part}, 1));
          return concat(all, 0);
        },
        random));
  add_attention_layers(cases, random);
  cases.push_back(
      {"SinusoidalPositionalEncoding",
       [](const Inputs& x) {
         return nn::SinusoidalPositionalEncoding(6)(x[0], std::array<std::int32_t, 4>{0, 1, 0, 7});
       },
       {normal({4, 6})}});
  for (const nn::PositionUse use : {nn::PositionUse::added, nn::PositionUse::concatenated})
    cases.push_back(layer_case(
        use == nn::PositionUse::added ? "PositionalEncoding: learned"
                                      : "PositionalEncoding: learned, concatenated",
        std::make_shared<nn::PositionalEncoding>(
            4, nn::PositionalEncoding::Settings{.kind = nn::PositionKind::learned, .use = use, .most = 5},
            random),
        {normal({4, 4})},
        [](nn::PositionalEncoding& layer, const Inputs& x) {
          return layer(x[0], std::array<std::int32_t, 4>{0, 1, 0, 3});
        },
        random));
  cases.push_back(layer_case(
      "Conv2d",
      std::make_shared<nn::Conv2d>(2, 3, SlidingWindow{.size = 3, .stride = 2, .padding = 1}, random),
      {normal({4 * 3 + 2 * 5, 2})},
      [](nn::Conv2d& layer, const Inputs& x) {
        return layer(x[0], {{4, 3}, {2, 5}});
      },
      random));
  cases.push_back({"PlanePositionalEncoding",
                   [](const Inputs& x) {
                     return nn::PlanePositionalEncoding(5)(x[0], {{2, 3}, {1, 2}});
                   },
                   {normal({8, 5})}});
  return cases;
}

}  // namespace regard::gradcheck_table
