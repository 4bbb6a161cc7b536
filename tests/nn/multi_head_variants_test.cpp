// Variants of multi-head attention: pair by pair against the fused operation, other normalisers, and values
// that are the keys.
#include <algorithm>
#include <cmath>

#include "autograd/machine/error.h"
#include "nn/attention_by_pairs.h"
#include "nn/multi_head_attention.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;
using Mask = nn::MultiHeadAttention::Mask;

namespace {

std::vector<Tensor> as_leaves(const std::vector<Tensor>& values) {
  std::vector<Tensor> result;
  for (const Tensor& value : values) {
    result.push_back(value.clone());
    result.back().set_requires_grad();
  }
  return result;
}

nn::MultiHeadAttention make_variant(Normaliser normaliser, bool shared, nn::PositionKind kind) {
  Random random(1);
  nn::MultiHeadAttention attention({.d_model = 8,
                                    .heads = 2,
                                    .positions = {.kind = kind, .radius = 2},
                                    .variant = {.normaliser = normaliser, .shared_key_value = shared}},
                                   random);
  randomise(attention, 2);
  return attention;
}

/// A network that has one attention.
struct Network : nn::Module {
  explicit Network(Normaliser normaliser)
      : attention(make_variant(normaliser, false, nn::PositionKind::none)) {}
  void visit(nn::Visitor& visitor) override { visitor("attention", attention); }
  nn::MultiHeadAttention attention;
};

}  // namespace

TEST_CASE("attention pair by pair, with the softmax, is the fused operation") {
  const Segments sentences{{0, 3, 0, 4}, {3, 4, 4, 9}, {4, 9, 9, 14}};
  for (const bool causal : {false, true})
    for (const int form : {0, 1, 2}) {
      INFO("causal " << causal << ", form " << form);
      const auto run = [&](bool by_pairs, std::vector<Tensor>* weights, std::vector<Tensor>& in) {
        in = as_leaves({normal({9, 8}, 1), normal({14, 9}, 2), normal({14, 7}, 3), normal({18, 5}, 4)});
        AttentionOptions options{.heads = 2, .causal = causal, .scale = Real(form == 0 ? 0 : 0.6)};
        if (form == 1) options.slopes = {Real(0.3), Real(0.7)};
        if (form == 2) options.relative = in[3];
        const ColumnSlice query(in[0], 1, 6), key(in[1], 2, 6), value(in[2], 0, 6);
        *weights = attention_weights(query, key, sentences, options);
        if (!by_pairs) return attention(query, key, value, sentences, options);
        return nn::attention_by_pairs(query, key, value, sentences, options, Normaliser::softmax, weights);
      };
      std::vector<Tensor> fused_in, pairs_in, fused_weights, pairs_weights;
      const Tensor fused = run(false, &fused_weights, fused_in), pairs = run(true, &pairs_weights, pairs_in);
      CHECK(error(pairs, fused) < 1e-14);
      for (std::size_t i = 0; i < sentences.size(); ++i)
        CHECK(error(pairs_weights[i], fused_weights[i]) < 1e-14);
      const std::vector<Tensor> expected = gradients(fused, fused_in), got = gradients(pairs, pairs_in);
      for (std::size_t i = 0; i < (form == 2 ? 4u : 3u); ++i) CHECK(error(got[i], expected[i]) < 1e-13);
    }
}

TEST_CASE("attention pair by pair refuses a mask that leaves no key") {
  const Tensor x = normal({4, 4}, 1), keys = normal({3, 4}, 2);
  const auto run = [&](bool causal) {
    return nn::attention_by_pairs(x, keys, keys, {{0, 4, 0, 3}}, {.heads = 2, .causal = causal},
                                  Normaliser::relu);
  };
  CHECK_ERROR(run(true), "3 keys for 4 queries");
  CHECK_NOTHROW(run(false));
}

TEST_CASE("a head that is off contributes nothing, with each normaliser") {
  const Tensor x = normal({5, 8}, 4);
  for (const Normaliser normaliser :
       {Normaliser::softmax, Normaliser::sparsemax, Normaliser::relu, Normaliser::sigmoid}) {
    INFO(static_cast<int>(normaliser));
    Network network(normaliser);
    nn::MultiHeadAttention& attention = network.attention;
    const auto run = [&] { return attention.self(x, self_segments({5}), Mask::causal); };
    const Tensor all_on = run();
    const Tensor off = [&] {
      const nn::HeadsOff second(network, {{"attention", 1}});
      return run();
    }();
    for (Index row = 0; row < 8; ++row)  // W^O without the columns of this head
      for (Index column = 4; column < 8; ++column) attention.out_proj.weight.data()[row * 8 + column] = 0;
    CHECK(error(off, run()) < 1e-14);
    CHECK(error(off, all_on) > 1e-3);
  }
}

TEST_CASE("each normaliser has dropout of its weights") {
  const Index keys = 12;
  const Tensor x = normal({keys, 4}, 3), each_key = Tensor::zeros({keys, keys});
  for (Index i = 0; i < keys; ++i) each_key.data()[i * (keys + 1)] = 1;  // so a row of y is a row of weights
  for (const Normaliser normaliser :
       {Normaliser::softmax, Normaliser::sparsemax, Normaliser::relu, Normaliser::sigmoid}) {
    INFO(static_cast<int>(normaliser));
    std::vector<Tensor> weights;
    const AttentionOptions options{.heads = 1, .dropout = {.probability = Real(0.25), .key = 5}};
    const Tensor y =
        nn::attention_by_pairs(x, x, each_key, self_segments({keys}), options, normaliser, &weights);
    Index dropped = 0, kept = 0;
    for (Index i = 0; i < y.size(); ++i) {
      const Real weight = weights[0].data()[i];
      if (weight == 0) continue;
      ++(y.data()[i] == 0 ? dropped : kept);
      if (y.data()[i] != 0) CHECK(y.data()[i] == Approx(weight / 0.75));
    }
    CHECK(dropped > 0);
    CHECK(kept > dropped);

    Random random(1);
    nn::MultiHeadAttention layer(
        {.d_model = 8, .heads = 2, .dropout = 0.5, .variant = {.normaliser = normaliser}}, random);
    const Tensor rows = normal({6, 8}, 2);
    const auto differs = [&] {
      const auto run = [&] { return layer.self(rows, self_segments({6}), Mask::none); };
      return !same_bits(run(), run());
    };
    CHECK(differs());
    layer.eval();
    CHECK_FALSE(differs());
  }
}

TEST_CASE("rotary positions go on where the table ends that shorter sentences made") {
  const auto run = [](nn::MultiHeadAttention& attention, Index rows) {
    return attention.self(normal({rows, 8}, 4), self_segments({rows}), Mask::causal);
  };
  nn::MultiHeadAttention longer = make_variant(Normaliser::softmax, false, nn::PositionKind::rotary);
  run(longer, 600);
  for (const Index size : {128, 256}) {  // of the first table, and of the next one
    nn::MultiHeadAttention attention = make_variant(Normaliser::softmax, false, nn::PositionKind::rotary);
    run(attention, 5);
    for (const Index rows : {size, size + 1}) CHECK(same_bits(run(attention, rows), run(longer, rows)));
  }
}

TEST_CASE("shared keys and values are one projection, and the values are not turned") {
  const Tensor x = normal({5, 8}, 4), memory = normal({6, 8}, 5);
  for (const nn::PositionKind kind : {nn::PositionKind::none, nn::PositionKind::rotary}) {
    nn::MultiHeadAttention shared = make_variant(Normaliser::softmax, true, kind);
    CHECK(shared.in_proj_weight.shape() == Shape{16, 8});
    CHECK(shared.in_proj_bias.shape() == Shape{16});
    nn::MultiHeadAttention separate = make_variant(Normaliser::softmax, false, kind);
    for (const auto& [from, to] : {std::pair{shared.in_proj_weight, separate.in_proj_weight},
                                   std::pair{shared.in_proj_bias, separate.in_proj_bias}}) {
      std::ranges::copy(from.values(), to.data());  // the values of `separate` are its keys, too
      const Index third = to.size() / 3;
      std::copy_n(from.data() + third, third, to.data() + 2 * third);
    }
    std::ranges::copy(shared.out_proj.weight.values(), separate.out_proj.weight.data());
    std::ranges::copy(shared.out_proj.bias.values(), separate.out_proj.bias.data());
    const auto self = [&](nn::MultiHeadAttention& layer) {
      return layer.self(x, self_segments({5}), Mask::causal);
    };
    const auto cross = [&](nn::MultiHeadAttention& layer) {
      return layer.cross(x, layer.key_value(memory), segments({0, 5}, {0, 6}));
    };
    CHECK(error(self(shared), self(separate)) < 1e-14);
    CHECK(error(cross(shared), cross(separate)) < 1e-14);
    separate.in_proj_weight.data()[16 * 8] += Real(0.5);  // a value of its own
    CHECK(error(self(shared), self(separate)) > 1e-3);
    CHECK(error(cross(shared), cross(separate)) > 1e-3);
  }
}
