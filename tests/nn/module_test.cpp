// Parameters: names and order as in PyTorch, each listed once; and what a new network starts from.
#include "nn/module.h"

#include <algorithm>

#include "nn/layers.h"
#include "nn/multi_head_attention.h"
#include "tests/catch.h"
#include "tests/nn/initial_values.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

using Names = std::vector<std::string>;

/// Two embeddings and a projection on one matrix, beside a matrix and a layer of its own.
struct Tied : nn::Module {
  explicit Tied(Random& random)
      : first(5, 3, random),
        second(first.weight),
        projection(first.weight),
        scale(nn::parameter(Tensor::full({3}, 1))),
        inner(3, 4, 0.1, random) {}
  void visit(nn::Visitor& visitor) override {
    visitor("first", first);
    visitor("second", second);
    visitor("projection", projection);
    visitor("scale", scale);
    visitor("inner", inner);
  }
  nn::Embedding first, second;
  Tensor projection, scale;
  nn::FeedForward inner;
};

/// A module in a module in a module.
struct Outer : nn::Module {
  explicit Outer(Random& random) : tied(random), norm(3) {}
  void visit(nn::Visitor& visitor) override {
    visitor("tied", tied);
    visitor("norm", norm);
  }
  Tied tied;
  nn::LayerNorm norm;
};

}  // namespace

TEST_CASE("the layers name their parameters as PyTorch does, in its order") {
  Random random(1);
  nn::Linear linear(2, 3, random);
  nn::Embedding embedding(4, 2, random);
  nn::LayerNorm norm(2);
  nn::FeedForward feed_forward(2, 3, 0, random);
  nn::MultiHeadAttention attention({.d_model = 4, .heads = 2}, random);
  CHECK(names(linear) == Names{"weight", "bias"});
  CHECK(names(embedding) == Names{"weight"});
  CHECK(names(norm) == Names{"weight", "bias"});
  CHECK(names(feed_forward) == Names{"linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias"});
  CHECK(names(attention) == Names{"in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"});
  CHECK(feed_forward.linear1.weight.shape() == Shape{3, 2});
  CHECK(feed_forward.linear2.weight.shape() == Shape{2, 3});
  CHECK(attention.in_proj_weight.shape() == Shape{12, 4});
  CHECK(attention.in_proj_bias.shape() == Shape{12});
  CHECK(attention.out_proj.weight.shape() == Shape{4, 4});
}

TEST_CASE("the modules of a list are numbered, and all are visited") {
  struct Layers : nn::Module {
    void visit(nn::Visitor& visitor) override { visitor("layers", list); }
    std::vector<nn::LayerNorm> list;
  };
  Layers layers;
  CHECK(names(layers).empty());
  for (int i = 0; i < 3; ++i) layers.list.emplace_back(2);
  CHECK(names(layers) == Names{"layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias",
                               "layers.2.weight", "layers.2.bias"});
  CHECK(layers.parameters()[3].tensor.is(layers.list[1].bias));
}

TEST_CASE("a tied weight appears once, under its first name") {
  Random random(1);
  Outer outer(random);
  CHECK(names(outer) == Names{"tied.first.weight", "tied.scale", "tied.inner.linear1.weight",
                              "tied.inner.linear1.bias", "tied.inner.linear2.weight",
                              "tied.inner.linear2.bias", "norm.weight", "norm.bias"});
  CHECK(outer.parameter_count() == 15 + 3 + 12 + 4 + 12 + 3 + 3 + 3);
  CHECK(outer.parameters().front().tensor.is(outer.tied.projection));
}

TEST_CASE("equal values in two places are two parameters") {
  struct Untied : Tied {
    explicit Untied(Random& random) : Tied(random) { projection = nn::parameter(first.weight.clone()); }
  };
  Random random(1);
  Untied untied(random);
  CHECK(names(untied)[1] == "projection");
  CHECK(untied.parameter_count() == 15 + 15 + 3 + 12 + 4 + 12 + 3);
}

TEST_CASE("parameters require gradients, and a path ends with the module it leads to") {
  Random random(1);
  Outer outer(random);
  for (const nn::NamedParameter& parameter : outer.parameters()) CHECK(parameter.tensor.requires_grad());
  CHECK(names(outer) == names(outer));  // a visitor's path does not grow from visit to visit
}

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
