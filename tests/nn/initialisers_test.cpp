// What a new network starts from.
#include <algorithm>

#include "nn/layers.h"
#include "nn/module.h"
#include "nn/multi_head_attention.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

struct Moments {
  double mean = 0, variance = 0, largest = 0;
};

Moments moments(const Tensor& x) {
  Moments result;
  const auto n = static_cast<double>(x.size());
  for (const double value : x.values()) result.mean += value / n;
  for (const double value : x.values()) {
    result.variance += (value - result.mean) * (value - result.mean) / n;
    result.largest = std::max(result.largest, std::abs(value));
  }
  return result;
}

/// Uniform in ±sqrt(6 / (in + out)): variance 2 / (in + out).
void check_xavier(const Tensor& weight) {
  const auto sum = static_cast<double>(weight.size(0) + weight.size(1));
  const double bound = std::sqrt(6 / sum);
  const Moments found = moments(weight);
  CHECK(found.largest <= bound);
  CHECK(found.largest > 0.999 * bound);
  CHECK(found.variance == Approx(2 / sum).epsilon(0.02));
  CHECK(std::abs(found.mean) < 0.01 * bound);
}

bool all(const Tensor& x, Real value) {
  return std::ranges::all_of(x.values(), [=](Real other) { return other == value; });
}

}  // namespace

TEST_CASE("Xavier: bounds and variance after the sum of inputs and outputs") {
  Random random(1);
  const Tensor weight = nn::xavier_uniform(300, 200, random);
  CHECK(weight.shape() == Shape{300, 200});
  check_xavier(weight);
  check_xavier(nn::xavier_uniform(500, 100, random));
}

TEST_CASE("linear layers start from Xavier and biases of 0") {
  Random random(2);
  nn::Linear layer(200, 300, random);
  check_xavier(layer.weight);
  CHECK(all(layer.bias, 0));
}

TEST_CASE("convolutions start from Xavier for the product with patches, and biases of 0") {
  Random random(2);
  nn::Conv2d layer(20, 300, {.size = 3}, random);
  CHECK(layer.weight.shape() == Shape{300, 20, 3, 3});
  check_xavier(layer.weight.view({300, 180}));
  CHECK(all(layer.bias, 0));
}

TEST_CASE("attention: the three projections are one Xavier matrix, as in PyTorch") {
  Random random(3);
  nn::MultiHeadAttention attention({.d_model = 160, .heads = 8}, random);
  check_xavier(attention.in_proj_weight);
  check_xavier(attention.out_proj.weight);
  CHECK(all(attention.in_proj_bias, 0));
  CHECK(all(attention.out_proj.bias, 0));
}

TEST_CASE("embeddings come out with deviation 1") {
  Random random(4);
  nn::Embedding embedding(1000, 64, random);
  CHECK(moments(embedding.weight).variance == Approx(1.0 / 64).epsilon(0.02));
  const std::vector<std::int32_t> ids{1, 2, 3, 4, 5, 6, 7, 8};
  CHECK(moments(embedding(ids)).variance == Approx(1).epsilon(0.15));
}

TEST_CASE("a new layer norm neither scales nor shifts") {
  nn::LayerNorm norm(5);
  CHECK(all(norm.weight, 1));
  CHECK(all(norm.bias, 0));
}

TEST_CASE("the same seed makes the same layer, another seed another") {
  Random first(5), same(5), other(6);
  nn::FeedForward a(6, 9, 0, first), b(6, 9, 0, same), c(6, 9, 0, other);
  CHECK(same_bits(snapshot(a), snapshot(b)));
  CHECK_FALSE(same_bits(a.linear1.weight, c.linear1.weight));
  CHECK_FALSE(same_bits(a.linear2.weight, c.linear2.weight));
}
