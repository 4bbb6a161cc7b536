// Every operation that PyTorch has, too: the same value and the same gradients (tests/fixtures/README.md).
#include "nn/safetensors.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

using Inputs = const std::vector<Tensor>&;

const Tensor& fixture(const std::string& name) {
  static const std::map<std::string, Tensor> all =
      nn::load_safetensors(REGARD_FIXTURES "/pytorch/ops.safetensors");
  const auto found = all.find(name);
  if (found == all.end()) fail("ops.safetensors has no {}", name);
  return found->second;
}

std::vector<std::int32_t> ids(const std::string& name) {
  const auto values = fixture(name).values();
  return {values.begin(), values.end()};
}

/// Runs `function` on the fixture's inputs `names` and compares y and the gradient of each input.
void check(const std::string& op, const std::vector<std::string>& names,
           const std::function<Tensor(Inputs)>& function) {
  INFO(op);
  std::vector<Tensor> inputs;
  for (const std::string& name : names)
    inputs.push_back(fixture(op + "/" + name).clone().set_requires_grad());
  const Tensor y = function(inputs);
  CHECK(error(numbers(y), numbers(fixture(op + "/y"))) < 1e-12);
  CHECK((y.shape() == fixture(op + "/y").shape() || y.rank() == 0));  // scalars are stored as [1]
  backward(y, {.cotangent = fixture(op + "/dy").view(y.shape())});
  for (std::size_t i = 0; i < names.size(); ++i) {
    INFO("gradient of " << names[i]);
    REQUIRE(inputs[i].grad());
    CHECK(error(inputs[i].grad(), fixture(op + "/d" + names[i])) < 1e-12);
  }
}

}  // namespace

TEST_CASE("PyTorch: element by element") {
  check("tanh", {"x"}, [](Inputs in) { return tanh(in[0]); });
  check("sigmoid", {"x"}, [](Inputs in) { return sigmoid(in[0]); });
  check("gelu", {"x"}, [](Inputs in) { return gelu(in[0]); });
  check("exp", {"x"}, [](Inputs in) { return exp(in[0]); });
  check("log", {"x"}, [](Inputs in) { return log(in[0]); });
  check("sqrt", {"x"}, [](Inputs in) { return sqrt(in[0]); });
  check("pow", {"x"}, [](Inputs in) { return pow(in[0], 3); });
  check("add", {"a", "b"}, [](Inputs in) { return in[0] + in[1]; });
  check("mul", {"a", "b"}, [](Inputs in) { return in[0] * in[1]; });
  check("div", {"a", "b"}, [](Inputs in) { return in[0] / in[1]; });
}

TEST_CASE("PyTorch: reductions and rows") {
  check("sum", {"x"}, [](Inputs in) { return sum(in[0], {{1}}); });
  check("mean", {"x"}, [](Inputs in) { return mean(in[0], {{1}}); });
  check("amax", {"x"}, [](Inputs in) { return max(in[0], {{1}}); });
  check("softmax", {"x"}, [](Inputs in) { return softmax(in[0]); });
  check("log_softmax", {"x"}, [](Inputs in) { return log_softmax(in[0]); });
  check("layer_norm", {"x", "weight", "bias"}, [](Inputs in) { return layer_norm(in[0], in[1], in[2]); });
}

TEST_CASE("PyTorch: products, parts and choices") {
  check("matmul", {"a", "b"}, [](Inputs in) { return matmul(in[0], in[1]); });
  check("concat", {"a", "b"}, [](Inputs in) { return concat({in[0], in[1]}, 1); });
  check("index_select", {"x"}, [](Inputs in) { return gather(in[0], 0, ids("index_select/ids")); });
  check("embedding", {"weight"}, [](Inputs in) { return embedding(in[0], ids("embedding/ids")); });
  check("cross_entropy", {"logits"}, [](Inputs in) {
    return cross_entropy(in[0], ids("cross_entropy/target"), {.label_smoothing = 0.1});
  });
  // Theirs chooses in each row by itself: element ids[i, j] of row i.
  check("gather", {"x"}, [](Inputs in) {
    std::vector<std::int32_t> flat = ids("gather/ids");
    for (std::size_t i = 0; i < flat.size(); ++i) flat[i] += static_cast<std::int32_t>(i / 2 * 4);
    return reshape(gather(reshape(in[0], {12}), 0, flat), {3, 2});
  });
}

TEST_CASE("PyTorch: multi-head attention with its projections") {
  const auto lengths = [](const std::string& name) {
    const auto values = fixture(name).values();
    return std::vector<Index>(values.begin(), values.end());
  };
  const auto check_weights = [](const std::string& op, const std::vector<Tensor>& weights) {
    REQUIRE(weights.size() == 2);
    CHECK(error(weights[0], fixture(op + "/weights_0")) < 1e-12);
    CHECK(error(weights[1], fixture(op + "/weights_1")) < 1e-12);
  };
  const AttentionOptions causal{.heads = 2, .causal = true}, plain{.heads = 2};

  const std::string self = "attention_self_causal";
  check(self, {"x", "in_proj_weight", "in_proj_bias", "out_proj_weight", "out_proj_bias"}, [&](Inputs in) {
    const Segments sentences = self_segments(lengths(self + "/lengths"));
    const Tensor qkv = linear(in[0], in[1], in[2]);
    check_weights(self, attention_weights({qkv, 0, 8}, {qkv, 8, 8}, sentences, causal));
    return linear(attention({qkv, 0, 8}, {qkv, 8, 8}, {qkv, 16, 8}, sentences, causal), in[3], in[4]);
  });

  const std::string cross = "attention_cross";
  check(cross, {"query", "memory", "in_proj_weight", "in_proj_bias", "out_proj_weight", "out_proj_bias"},
        [&](Inputs in) {
          const Segments sentences =
              segments(offsets(lengths(cross + "/query_lengths")), offsets(lengths(cross + "/key_lengths")));
          const Tensor q = linear(in[0], slice(in[2], 0, 0, 8), slice(in[3], 0, 0, 8));
          const Tensor kv = linear(in[1], slice(in[2], 0, 8, 24), slice(in[3], 0, 8, 24));
          check_weights(cross, attention_weights(q, {kv, 0, 8}, sentences, plain));
          return linear(attention(q, {kv, 0, 8}, {kv, 8, 8}, sentences, plain), in[4], in[5]);
        });
}
