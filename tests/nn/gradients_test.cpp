// Every layer's gradients against central differences: of what it is given, and of all its parameters.
#include "autograd/operation.h"
#include "nn/layers.h"
#include "nn/multi_head_attention.h"
#include "nn/positional_encoding.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;
using Mask = nn::MultiHeadAttention::Mask;

namespace {

/// Checks forward(), which draws the same dropout masks each time, by the module's parameters and `inputs`.
GradcheckResult check(nn::Module& module, const std::vector<Tensor>& inputs,
                      const std::function<Tensor()>& forward) {
  std::vector<Tensor> all = inputs;
  GradcheckOptions options;
  for (std::size_t i = 0; i < inputs.size(); ++i) options.names.push_back(fmt::format("input {}", i));
  for (const nn::NamedParameter& parameter : module.parameters()) {
    all.push_back(parameter.tensor);
    options.names.push_back(parameter.name);
  }
  return gradcheck(
      [&](const std::vector<Tensor>&) {
        module.set_random(5, 1);
        return forward();
      },
      all, options);
}

void passes(const GradcheckResult& result) {
  INFO(result.worst);
  CHECK(result.passed);
  CHECK(result.error < 1e-7);
  CHECK(result.checked > 0);
}

}  // namespace

TEST_CASE("gradients of linear") {
  Random random(1);
  nn::Linear layer(5, 4, random);
  randomise(layer, 2);
  const Tensor x = normal({6, 5}, 3);
  passes(check(layer, {x}, [&] { return layer(x); }));
}

TEST_CASE("gradients of embedding and positions") {
  Random random(1);
  nn::Embedding layer(7, 4, random);
  nn::SinusoidalPositionalEncoding encoding(4);
  const std::vector<std::int32_t> ids{3, 0, 3, 6}, positions{0, 1, 2, 0};
  passes(check(layer, {}, [&] { return layer(ids); }));
  passes(check(layer, {}, [&] { return encoding(layer(ids), positions); }));
}

TEST_CASE("gradients of layer norm, alone and with a residual under dropout") {
  nn::LayerNorm layer(6);
  randomise(layer, 2);
  nn::Dropout dropout(0.3);
  const Tensor x = normal({5, 6}, 3), sublayer = normal({5, 6}, 4);
  passes(check(layer, {x}, [&] { return layer(x); }));
  passes(check(layer, {x, sublayer}, [&] {
    dropout.set_random({.seed = 1});
    return layer(x, sublayer, dropout.next());
  }));
}

TEST_CASE("gradients of dropout") {
  nn::Dropout dropout(0.4);
  const Tensor x = normal({7, 5}, 3);
  const GradcheckResult result = gradcheck(
      [&](const std::vector<Tensor>&) {
        dropout.set_random({.seed = 1});
        return dropout(x);
      },
      {x});
  passes(result);
}

TEST_CASE("gradients of feed-forward, its inner activation under dropout") {
  Random random(1);
  nn::FeedForward layer(4, 7, 0.3, random);
  randomise(layer, 2);
  const Tensor x = normal({6, 4}, 3);
  passes(check(layer, {x}, [&] { return layer(x); }));
}

TEST_CASE("gradients of multi-head attention, its weights under dropout") {
  Random random(1);
  nn::MultiHeadAttention layer({.d_model = 6, .heads = 2, .dropout = 0.3}, random);
  randomise(layer, 2);
  const Tensor x = normal({7, 6}, 3), memory = normal({8, 6}, 4);
  for (const Mask mask : {Mask::none, Mask::causal})
    passes(check(layer, {x}, [&] { return layer.self(x, self_segments({3, 4}), mask); }));
  passes(check(layer, {x, memory}, [&] {
    return layer.cross(x, memory, segments(offsets({3, 4}), offsets({6, 2})));
  }));
}

TEST_CASE("a layer whose backward is off by a thousandth fails") {
  Random random(1);
  nn::Linear layer(3, 2, random);
  const Tensor x = normal({4, 3}, 3);
  const GradcheckResult result = check(layer, {x}, [&] {
    const Tensor y = layer(x);
    return Operation("off").record(y.detach(), {y}, [size = y.size()](BackwardContext& context) {
      const GradSlot dy = context.input_grad(0);
      for (Index i = 0; i < size; ++i) dy.put(i, Real(1.001) * context.output_grad()[i]);
    });
  });
  CHECK_FALSE(result.passed);
  CHECK(result.error == Approx(1e-3).epsilon(0.01));
}
