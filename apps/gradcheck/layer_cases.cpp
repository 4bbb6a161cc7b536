#include <array>
#include <utility>

#include "apps/gradcheck/modules.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/convolution/conv2d.h"
#include "nn/general_attention/attention.h"
#include "nn/layers.h"
#include "nn/multi_head_attention.h"
#include "nn/recurrent/recurrent.h"
#include "transformer/captions/plane_positions.h"

namespace regard::gradcheck_table {

namespace {

/// The general attention layer with each score, normaliser and window.
void add_attention_layers(std::vector<GradientCase>& cases) {
  const auto add = [&](const std::string& name, nn::Attention::Settings settings) {
    settings.radius = 1;
    settings.positions = 5;
    add_module(cases, "Attention: " + name, {{5, 4}, {9, 4}}, made<nn::Attention>(settings),
               [](nn::Attention& layer, Inputs x) {
                 const std::array<std::int32_t, 5> positions{0, 1, 2, 0, 1};
                 return layer(x[0], layer.prepare(x[1]), segments({0, 3, 5}, {0, 4, 9}), positions).context;
               });
  };
  using nn::ScoreKind;
  const std::vector<std::pair<std::string, ScoreKind>> scores{
      {"dot", ScoreKind::dot},           {"scaled_dot", ScoreKind::scaled_dot},
      {"general", ScoreKind::general},   {"additive", ScoreKind::additive},
      {"location", ScoreKind::location}, {"linear_concat", ScoreKind::linear_concat},
      {"cosine", ScoreKind::cosine}};
  for (const auto& [name, score] : scores) add(name, {.query_width = 4, .memory_width = 4, .score = score});
  nn::Attention::Settings settings{.query_width = 4, .memory_width = 4, .key_width = 4, .value_width = 3};
  add("keys and values of their own", settings);
  settings.normaliser = Normaliser::sparsemax;
  add("sparsemax", settings);
  settings.normaliser = Normaliser::relu;
  add("relu", settings);
  settings.normaliser = Normaliser::sigmoid;
  add("sigmoid", settings);
  settings.normaliser = Normaliser::softmax;
  settings.window = nn::AttentionWindow::local_m;
  add("local_m", settings);
  settings.window = nn::AttentionWindow::local_p;
  add("local_p", settings);
}

void add_multi_head_attention(std::vector<GradientCase>& cases) {
  using nn::MultiHeadAttention;
  const Segments self = segments({0, 3, 5}, {0, 3, 5}), cross = segments({0, 3, 5}, {0, 2, 6});
  const auto attend = [cross](MultiHeadAttention& layer, Inputs x) {
    return layer.cross(x[0], layer.key_value(x[1]), cross);
  };
  const auto attention =
      made<MultiHeadAttention>(MultiHeadAttention::Settings{.d_model = 8, .heads = 2, .dropout = 0.2});
  for (const auto& [name, mask] : {std::pair{"self", MultiHeadAttention::Mask::none},
                                   {"self, causal", MultiHeadAttention::Mask::causal}})
    add_module(
        cases, std::string("MultiHeadAttention: ") + name, {{5, 8}}, attention,
        [self, mask = mask](MultiHeadAttention& layer, Inputs x) { return layer.self(x[0], self, mask); });
  for (const auto& [name, kind] : {std::pair{"relative", nn::PositionKind::relative},
                                   {"rotary", nn::PositionKind::rotary},
                                   {"ALiBi", nn::PositionKind::alibi}})
    for (const MultiHeadAttention::Mask mask :
         {MultiHeadAttention::Mask::none, MultiHeadAttention::Mask::causal})
      add_module(
          cases,
          fmt::format("MultiHeadAttention: {}{}", name,
                      mask == MultiHeadAttention::Mask::causal ? ", causal" : ""),
          {{5, 8}},
          made<MultiHeadAttention>(MultiHeadAttention::Settings{.d_model = 8,
                                                                .heads = 2,
                                                                .dropout = 0.2,
                                                                .positions = {.kind = kind, .radius = 1},
                                                                .variant = {.scaled = false}}),
          [self, mask](MultiHeadAttention& layer, Inputs x) { return layer.self(x[0], self, mask); });
  for (const auto& [name, normaliser] : {std::pair{"sparsemax", Normaliser::sparsemax},
                                         {"relu", Normaliser::relu},
                                         {"sigmoid", Normaliser::sigmoid}})
    add_module(cases, fmt::format("MultiHeadAttention: {}", name), {{5, 8}},
               made<MultiHeadAttention>(MultiHeadAttention::Settings{
                   .d_model = 8,
                   .heads = 2,
                   .dropout = 0.2,
                   .positions = {.kind = nn::PositionKind::relative, .radius = 1},
                   .variant = {.normaliser = normaliser}}),
               [self](MultiHeadAttention& layer, Inputs x) {
                 return layer.self(x[0], self, MultiHeadAttention::Mask::causal);
               });
  for (const auto& [name, kind] : {std::pair{"shared keys and values", nn::PositionKind::none},
                                   {"shared keys and values, rotary", nn::PositionKind::rotary}}) {
    const auto shared =
        made<MultiHeadAttention>(MultiHeadAttention::Settings{.d_model = 8,
                                                              .heads = 2,
                                                              .dropout = 0.2,
                                                              .positions = {.kind = kind},
                                                              .variant = {.shared_key_value = true}});
    add_module(cases, fmt::format("MultiHeadAttention: {}", name), {{5, 8}}, shared,
               [self](MultiHeadAttention& layer, Inputs x) {
                 return layer.self(x[0], self, MultiHeadAttention::Mask::causal);
               });
    add_module(cases, fmt::format("MultiHeadAttention: cross, {}", name), {{5, 8}, {6, 8}}, shared, attend);
  }
  add_module(cases, "MultiHeadAttention: cross", {{5, 8}, {6, 8}}, attention, attend);
}

void add_recurrent_layers(std::vector<GradientCase>& cases) {
  const nn::Recurrent::Settings settings{
      .input = 3, .hidden = 4, .layers = 2, .bidirectional = true, .dropout = 0.2};
  for (const auto& [name, cell] : {std::pair{"GRU", nn::Cell::gru}, {"LSTM", nn::Cell::lstm}})
    add_module(
        cases, std::string(name) + ": two layers, both directions, dropout 0.2", {{6, 3}},
        made<nn::Recurrent>(cell, settings), [](nn::Recurrent& layer, Inputs x) {
          const nn::Recurrent::Output output = layer(x[0], {0, 2, 3, 6});
          std::vector<Tensor> all{output.rows};  // and the last states, which have a row for each sentence
          for (const nn::RecurrentState& state : output.states)
            for (const Tensor& part : {state.h, state.c})
              if (part) all.push_back(concat({part, part}, 1));
          return concat(all, 0);
        });
}

void add_positional_encodings(std::vector<GradientCase>& cases) {
  using nn::PositionalEncoding;
  constexpr std::array<std::int32_t, 4> positions{0, 1, 0, 3};
  for (const auto& [kind_name, kind] :
       {std::pair{"learned", nn::PositionKind::learned}, {"sinusoidal", nn::PositionKind::sinusoidal}})
    for (const auto& [name, use] :
         {std::pair{"", nn::PositionUse::added}, {", concatenated", nn::PositionUse::concatenated}})
      add_module(cases, fmt::format("PositionalEncoding: {}{}", kind_name, name), {{4, 4}},
                 made<PositionalEncoding>(4, nn::Positions::Settings{.kind = kind, .use = use, .most = 5}),
                 [=](PositionalEncoding& layer, Inputs x) { return layer(x[0], positions); });
  Random random = random_of("positions");
  cases.push_back({"PlanePositionalEncoding",
                   [](Inputs x) {
                     return nn::PlanePositionalEncoding(5)(x[0], {{2, 3}, {1, 2}});
                   },
                   {Tensor::normal({8, 5}, 0, 1, random)}});
}

}  // namespace

std::vector<GradientCase> layer_cases() {
  std::vector<GradientCase> cases;
  const auto of_one = [](auto& layer, Inputs x) { return layer(x[0]); };
  add_module(cases, "Linear", {{5, 4}}, made<nn::Linear>(4, 3), of_one);
  add_module(cases, "Embedding", {}, made<nn::Embedding>(5, 4), [](nn::Embedding& layer, Inputs) {
    return layer(std::array<std::int32_t, 4>{1, 4, 1, 0});
  });
  const auto norm = [](Random&) { return std::make_shared<nn::LayerNorm>(6); };
  add_module(cases, "LayerNorm", {{4, 6}}, norm, of_one);
  add_module(cases, "LayerNorm: residual, dropout 0.3", {{4, 6}, {4, 6}}, norm,
             [](nn::LayerNorm& layer, Inputs x) {
               return layer(x[0], x[1], DropoutMask{0.3, 11});
             });
  for (const auto& [name, activation] : {std::pair{"", nn::Activation::relu},
                                         {"GELU, ", nn::Activation::gelu},
                                         {"SiLU, ", nn::Activation::silu}})
    add_module(
        cases, fmt::format("FeedForward: {}dropout 0.2", name), {{5, 4}},
        [activation = activation](Random& random) {
          return std::make_shared<nn::FeedForward>(4, 6, 0.2, random, activation);
        },
        of_one);
  add_module(cases, "Conv2d", {{4 * 3 + 2 * 5, 2}},
             made<nn::Conv2d>(2, 3, SlidingWindow{.size = 3, .stride = 2, .padding = 1}),
             [](nn::Conv2d& layer, Inputs x) {
               return layer(x[0], {{4, 3}, {2, 5}});
             });
  add_multi_head_attention(cases);
  add_recurrent_layers(cases);
  add_attention_layers(cases);
  add_positional_encodings(cases);
  return cases;
}

}  // namespace regard::gradcheck_table
