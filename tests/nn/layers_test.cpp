// What the layers compute, against plain loops. The values and gradients of multi-head attention are compared
// with PyTorch's (tests/transformer); here, weights and steps of attention.
#include "nn/layers.h"

#include <algorithm>
#include <cmath>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/multi_head_attention.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;
using Mask = nn::MultiHeadAttention::Mask;

namespace {

/// y[r, o] = bias[o] + sum_i x[r, i] weight[o, i]
Numbers naive_linear(const Numbers& x, const nn::Linear& layer) {
  const auto out = to_size(layer.weight.size(0));
  const auto in = to_size(layer.weight.size(1));
  Numbers y;
  for (std::size_t r = 0; r < x.size() / in; ++r) {
    for (std::size_t o = 0; o < out; ++o) {
      double sum = layer.bias.data()[o];
      for (std::size_t i = 0; i < in; ++i) sum += x[r * in + i] * layer.weight.data()[o * in + i];
      y.push_back(sum);
    }
  }
  return y;
}

nn::MultiHeadAttention make_attention(Index d_model, Index heads, std::uint64_t seed) {
  Random random(seed);
  nn::MultiHeadAttention attention({.d_model = d_model, .heads = heads}, random);
  randomise(attention, seed + 1);
  return attention;
}

}  // namespace

TEST_CASE("linear: weight is [out, in], y = x W^T + b, by hand") {
  Random random(1);
  nn::Linear layer(3, 2, random);
  std::ranges::copy(Numbers{1, 2, 3, 4, 5, 6}, layer.weight.data());
  std::ranges::copy(Numbers{10, 20}, layer.bias.data());
  const Tensor y = layer(Tensor::from({2, 3}, {1, 0, -1, 2, 1, 0}));
  CHECK(y.shape() == Shape{2, 2});
  CHECK(numbers(y) == Numbers{1 - 3 + 10, 4 - 6 + 20, 2 + 2 + 10, 8 + 5 + 20});
}

TEST_CASE("embedding: the rows of the ids, times sqrt(d_model)") {
  Random random(5);
  nn::Embedding layer(6, 4, random);
  const std::vector<std::int32_t> ids{5, 0, 5, 2};
  const Tensor y = layer(ids);
  CHECK(y.shape() == Shape{4, 4});
  for (Index row = 0; row < 4; ++row)
    for (Index column = 0; column < 4; ++column)
      CHECK(y.at({row, column}) == 2 * layer.weight.at({ids[to_size(row)], column}));
}

TEST_CASE("feed-forward: f(x W1^T + b1) W2^T + b2 for each activation, and nothing else outside training") {
  const auto relu = [](double x) { return std::max(0.0, x); };
  const auto gelu = [](double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); };  // x Phi(x)
  const auto silu = [](double x) { return x / (1 + std::exp(-x)); };
  const std::vector<std::pair<nn::Activation, double (*)(double)>> activations{
      {nn::Activation::relu, relu}, {nn::Activation::gelu, gelu}, {nn::Activation::silu, silu}};
  Random random(6);
  for (const auto& [activation, function] : activations) {
    nn::FeedForward layer(5, 9, 0.5, random, activation);
    randomise(layer, 7);
    layer.eval();
    const Tensor x = normal({8, 5}, 8);
    Numbers inner = naive_linear(numbers(x), layer.linear1);
    const auto negative = std::ranges::count_if(inner, [](double value) { return value < 0; });
    CHECK((negative > 10 && negative < 62));  // so that the activation is seen
    std::ranges::transform(inner, inner.begin(), function);
    CHECK(error(layer(x), naive_linear(inner, layer.linear2)) < 1e-14);
  }
  // By hand: x = 1 and all weights 1 give Phi(1) = 0.841344746068543 (tables of the normal distribution).
  nn::FeedForward one(1, 1, 0, random, nn::Activation::gelu);
  for (const nn::NamedParameter& parameter : one.parameters())
    parameter.tensor.data()[0] = parameter.name.ends_with("weight") ? 1 : 0;
  CHECK(one(Tensor::full({1, 1}, 1)).item() == Approx(0.841344746068543).epsilon(1e-14));
}

TEST_CASE("attention returns its weights on request, and they change nothing") {
  auto attention = make_attention(8, 2, 15);
  const Tensor x = normal({7, 8}, 16), qkv = linear(x, attention.in_proj_weight, attention.in_proj_bias);
  const Segments sentences = self_segments({3, 4});
  for (const Mask mask : {Mask::none, Mask::causal}) {
    const Tensor y = attention.self(x, sentences, mask);
    const nn::AttentionRecord record;
    CHECK(same_bits(y, attention.self(x, sentences, mask)));
    CHECK(same_bits(record.weights.at(&attention),
                    attention_weights({qkv, 0, 8}, {qkv, 8, 8}, sentences,
                                      {.heads = 2, .causal = mask == Mask::causal})));
  }
}

TEST_CASE("self-attention in steps, with a history, is self-attention at once, for all positions") {
  const Tensor x = normal({5, 8}, 18), late = slice(x, 0, 2, 5);
  for (const nn::PositionKind kind : {nn::PositionKind::none, nn::PositionKind::relative,
                                      nn::PositionKind::rotary, nn::PositionKind::alibi}) {
    INFO(static_cast<int>(kind));
    Random random(17);
    nn::MultiHeadAttention attention({.d_model = 8, .heads = 4, .positions = {.kind = kind}}, random);
    std::vector<Tensor> keys, values;
    const auto history = [&](const nn::MultiHeadAttention::KeyValue& read) {
      const auto rows = [](const ColumnSlice& s) { return slice(s.matrix, 1, s.first, s.first + s.width); };
      keys.push_back(rows(read.key));
      values.push_back(rows(read.value));
      return nn::MultiHeadAttention::KeyValue{concat(keys, 0), concat(values, 0)};
    };
    const Tensor at_once = attention.self(x, self_segments({5}), Mask::causal);
    const Tensor first = attention.self(slice(x, 0, 0, 2), {{0, 2, 0, 2}}, Mask::causal, history);
    const Tensor second = attention.self(late, {{0, 3, 0, 5}}, Mask::causal, history);
    CHECK(error(concat({first, second}, 0), at_once) < 1e-14);
    CHECK(error(attention.self(late, self_segments({3}), Mask::causal), second) > 1e-3);
  }
}

TEST_CASE("attention to a memory: queries of x, keys and values of the memory") {
  auto attention = make_attention(8, 4, 17);
  const Tensor x = normal({5, 8}, 18), memory = normal({6, 8}, 19);
  const Segments sentence = segments({0, 5}, {0, 6});
  const Tensor& w = attention.in_proj_weight;
  const Tensor& b = attention.in_proj_bias;
  const Tensor q = linear(x, slice(w, 0, 0, 8), slice(b, 0, 0, 8)), kv = linear(memory, w, b);
  const Tensor heads = regard::attention(q, {kv, 8, 8}, {kv, 16, 8}, sentence, {.heads = 4});
  CHECK(error(attention.cross(x, attention.key_value(memory), sentence), attention.out_proj(heads)) < 1e-14);
}

TEST_CASE("heads that do not divide d_model are refused") {
  Random random(1);
  const auto make = [&](Index heads) {
    return nn::MultiHeadAttention({.d_model = 8, .heads = heads}, random);
  };
  CHECK_ERROR(make(3), "heads (3) must divide d_model (8)");
  CHECK_ERROR(make(0), "heads (0)");
}
