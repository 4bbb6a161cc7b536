// Dropout: on in training, off in evaluation, and random as (seed, step, part, layer, call) say.
#include "nn/layers.h"
#include "nn/multi_head_attention.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// Two dropouts, one inside another module.
struct Pair : nn::Module {
  explicit Pair(double rate) : first(rate), second(rate) {}
  void visit(nn::Visitor& visitor) override {
    visitor(first);
    visitor(second);
  }
  nn::Dropout first, second;
};

Tensor all_ones() { return Tensor::full({30, 20}, 1); }

/// What the two do to ones, first and second.
std::vector<Tensor> masks(Pair& pair) {
  const Tensor first = pair.first(all_ones());
  return {first, pair.second(all_ones())};
}

std::vector<Tensor> masks(Pair& pair, std::uint64_t seed, std::uint32_t step, std::uint32_t part = 0) {
  pair.set_random(seed, step, part);
  return masks(pair);
}

}  // namespace

TEST_CASE("evaluation mode switches every dropout off, training mode on") {
  Pair pair(0.5);
  CHECK_FALSE(same_bits(pair.first(all_ones()), all_ones()));  // new modules train
  pair.eval();
  CHECK(same_bits(pair.first(all_ones()), all_ones()));
  CHECK(same_bits(pair.second(all_ones()), all_ones()));
  pair.train();
  CHECK_FALSE(same_bits(pair.first(all_ones()), all_ones()));
  CHECK_FALSE(same_bits(pair.second(all_ones()), all_ones()));
}

TEST_CASE("a rate of 0 changes nothing, in training either") {
  Pair pair(0);
  CHECK(same_bits(pair.first(all_ones()), all_ones()));
}

TEST_CASE("the layers reach their dropouts") {
  Random random(1);
  nn::FeedForward feed_forward(8, 16, 0.5, random);
  nn::MultiHeadAttention attention({.d_model = 8, .heads = 2, .dropout = 0.5}, random);
  const Tensor x = normal({6, 8}, 2);
  const auto all = self_segments({6});
  const auto forward = [&] {
    const Tensor y = feed_forward(x);
    return std::vector<Tensor>{y, attention.self(x, all, nn::MultiHeadAttention::Mask::none)};
  };
  const auto on = [&](nn::Module& module) {
    const std::vector<Tensor> a = forward(), b = forward();
    const std::size_t i = &module == &feed_forward ? 0 : 1;
    return !same_bits(a[i], b[i]);
  };
  CHECK(on(feed_forward));
  CHECK(on(attention));
  feed_forward.eval();
  CHECK_FALSE(on(feed_forward));
  CHECK(on(attention));
  attention.eval();
  CHECK_FALSE(on(attention));
  feed_forward.train();
  CHECK(on(feed_forward));
}

TEST_CASE("the same seed, step and part give the same masks, any other gives others") {
  Pair pair(0.5), same(0.5);
  const std::vector<Tensor> reference = masks(pair, 7, 3, 2);
  masks(pair);  // calls in between leave no trace
  CHECK(same_bits(masks(pair, 7, 3, 2), reference));
  CHECK(same_bits(masks(same, 7, 3, 2), reference));  // nor does it matter which object computes
  const auto differs = [&](const std::vector<Tensor>& others) {
    return !same_bits(others[0], reference[0]) && !same_bits(others[1], reference[1]);
  };
  CHECK(differs(masks(pair, 8, 3, 2)));
  CHECK(differs(masks(pair, 7, 4, 2)));
  CHECK(differs(masks(pair, 7, 3, 1)));
  CHECK(differs(masks(pair, 3, 7, 2)));
  CHECK(differs(masks(pair, 7, 3)));
}

TEST_CASE("layers have masks of their own, and so have calls in one step") {
  Pair pair(0.5);
  const std::vector<Tensor> first = masks(pair, 1, 1), second = masks(pair);
  CHECK_FALSE(same_bits(first[0], first[1]));
  CHECK_FALSE(same_bits(first[0], second[0]));
  CHECK_FALSE(same_bits(first[1], second[1]));
  CHECK_FALSE(same_bits(first[0], second[1]));
}

TEST_CASE("without set_random, masks differ from layer to layer and from call to call") {
  Pair pair(0.5);
  const std::vector<Tensor> first = masks(pair), second = masks(pair);
  CHECK_FALSE(same_bits(first[0], first[1]));
  CHECK_FALSE(same_bits(first[0], second[0]));
}

TEST_CASE("a probability outside [0, 1) is refused") {
  for (const double rate : {-0.1, 1.0, 1.5, std::numeric_limits<double>::quiet_NaN()})
    CHECK_ERROR(nn::Dropout(rate), "must be at least 0 and below 1");
}
