#include <array>
#include <memory>

#include "apps/gradcheck/cases.h"
#include "autograd/error.h"
#include "nn/multi_head_attention.h"
#include "nn/layers.h"
#include "nn/positional_encoding.h"

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
        return layer(x[0], x[1], regard::Dropout{0.3, 11});
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
  cases.push_back(
      {"SinusoidalPositionalEncoding",
       [](const Inputs& x) {
         return nn::SinusoidalPositionalEncoding(6)(x[0], std::array<std::int32_t, 4>{0, 1, 0, 7});
       },
       {normal({4, 6})}});
  return cases;
}

}  // namespace regard::gradcheck_table
