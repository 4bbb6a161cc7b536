// The smallest shapes that every operation must accept: no rows, no columns, one row, one column.
#include "tests/autograd/small_sizes.h"

#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr DropoutMask some{.probability = Real(0.5), .key = 1};

}  // namespace

TEST_CASE("arithmetic, functions and shapes of few elements or none") {
  for (const Shape& shape : {Shape{0}, Shape{0, 3}, Shape{3, 0}, Shape{1, 1}, Shape{1}, Shape{}}) {
    for (const auto& binary : {add, subtract, multiply, divide})
      check("binary", shape, {shape, shape}, [&](Inputs x) { return binary(x[0], x[1]); });
    for (const auto& unary : {exp, log, regard::tanh, sigmoid, relu, gelu, silu, sqrt})
      check("unary", shape, {shape}, [&](Inputs x) { return unary(x[0]); });
    check("pow", shape, {shape}, [](Inputs x) { return pow(x[0], 2); });
    check("dropout", shape, {shape}, [](Inputs x) { return dropout(x[0], some); });
    check("sum", {}, {shape}, [](Inputs x) { return sum(x[0]); });
    const Shape flat{shape.size()};
    check("reshape", flat, {shape}, [&](Inputs x) { return reshape(x[0], flat); });
  }
  check("broadcasting nothing", {0, 3}, {{0, 1}, {3}}, [](Inputs x) { return x[0] * x[1]; });
  check("broadcasting one to nothing", {0}, {{0}, {1}}, [](Inputs x) { return x[0] * x[1]; });
}

TEST_CASE("parts of few rows or none") {
  check("transpose", {0, 3}, {{3, 0}}, [](Inputs x) { return transpose(x[0]); });
  check("transpose", {3, 0}, {{0, 3}}, [](Inputs x) { return transpose(x[0]); });
  check("transpose", {3, 2, 0}, {{2, 3, 0}}, [](Inputs x) { return transpose(x[0], 0, 1); });
  check("transpose", {0, 3, 2}, {{2, 3, 0}}, [](Inputs x) { return transpose(x[0], 0, 2); });
  check("transpose", {1, 1}, {{1, 1}}, [](Inputs x) { return transpose(x[0]); });
  check("slice", {0, 3}, {{2, 3}}, [](Inputs x) { return slice(x[0], 0, 1, 1); });
  check("slice", {2, 0}, {{2, 3}}, [](Inputs x) { return slice(x[0], 1, 3, 3); });
  check("slice", {0, 2}, {{0, 3}}, [](Inputs x) { return slice(x[0], 1, 1, 3); });
  check("concat", {2, 3}, {{0, 3}, {2, 3}}, [](Inputs x) { return concat({x[0], x[1]}, 0); });
  check("concat", {2, 3}, {{2, 0}, {2, 3}}, [](Inputs x) { return concat({x[0], x[1]}, 1); });
  check("concat", {0, 5}, {{0, 2}, {0, 3}}, [](Inputs x) { return concat({x[0], x[1]}, 1); });
  check("gather", {0, 3}, {{2, 3}}, [](Inputs x) { return gather(x[0], 0, {}); });
  check("gather", {2, 0}, {{2, 3}}, [](Inputs x) { return gather(x[0], 1, {}); });
  check("embedding", {0, 3}, {{2, 3}}, [](Inputs x) { return embedding(x[0], {}); });
  const std::vector<std::int32_t> one{0};
  check("embedding", {1, 1}, {{1, 1}}, [&](Inputs x) { return embedding(x[0], one); });
}

TEST_CASE("reductions of few elements or none") {
  check("sum", {0}, {{0, 3}}, [](Inputs x) { return sum(x[0], {{1}}); });
  check("sum", {3}, {{0, 3}}, [](Inputs x) { return sum(x[0], {{0}}); });
  check("mean", {0}, {{0, 3}}, [](Inputs x) { return mean(x[0], {{1}}); });
  check("max", {0}, {{0, 3}}, [](Inputs x) { return max(x[0], {{1}}); });
  check("mean", {1}, {{1, 1}}, [](Inputs x) { return mean(x[0], {{1}}); });
  check("max", {}, {{}}, [](Inputs x) { return max(x[0]); });
  const NoGrad no_grad;
  CHECK(sum(Tensor::empty({0, 3}), {{0}}).at({2}) == 0);
}

TEST_CASE("products of few rows or columns, or none") {
  for (const Index m : {0, 1, 2})
    for (const Index k : {0, 1, 2})
      for (const Index n : {0, 1, 2}) {
        check("matmul", {m, n}, {{m, k}, {k, n}}, [](Inputs x) { return matmul(x[0], x[1]); });
        check("matmul", {2, m, n}, {{2, m, k}, {2, k, n}}, [](Inputs x) { return matmul(x[0], x[1]); });
        check("linear", {m, n}, {{m, k}, {n, k}}, [](Inputs x) { return linear(x[0], x[1], {}); });
        check("linear", {m, n}, {{m, k}, {n, k}, {n}}, [](Inputs x) { return linear(x[0], x[1], x[2]); });
        check("linear_relu", {m, n}, {{m, k}, {n, k}, {n}},
              [](Inputs x) { return linear_relu(x[0], x[1], x[2], some); });
        check("linear_silu", {m, n}, {{m, k}, {n, k}, {n}},
              [](Inputs x) { return linear_silu(x[0], x[1], x[2], some); });
      }
  check("matmul", {0, 2, 3}, {{0, 2, 4}, {0, 4, 3}}, [](Inputs x) { return matmul(x[0], x[1]); });
  const NoGrad no_grad;
  poison_free_memory();
  CHECK(same_bits(matmul(Tensor::empty({2, 0}), Tensor::empty({0, 2})), Tensor::zeros({2, 2})));
}

TEST_CASE("normalisation of few rows or columns, or none") {
  for (const Shape& shape : {Shape{0, 3}, Shape{2, 1}, Shape{1, 3}, Shape{2, 0}, Shape{3}, Shape{0}}) {
    const Shape row{shape[-1]};
    check("softmax", shape, {shape}, [](Inputs x) { return softmax(x[0]); });
    check("log_softmax", shape, {shape}, [](Inputs x) { return log_softmax(x[0]); });
    check("layer_norm", shape, {shape, row, row}, [](Inputs x) { return layer_norm(x[0], x[1], x[2]); });
    check("residual_layer_norm", shape, {shape, shape, row, row},
          [](Inputs x) { return residual_layer_norm(x[0], x[1], some, x[2], x[3]); });
    check("residual_dropout", shape, {shape, shape},
          [](Inputs x) { return residual_dropout(x[0], x[1], some); });
  }
}

TEST_CASE("losses of one row or one word") {
  const std::vector<std::int32_t> zero{0}, zeros{0, 0};
  check("cross_entropy", {}, {{1, 3}}, [&](Inputs x) { return cross_entropy(x[0], zero); });
  check("cross_entropy", {}, {{2, 1}}, [&](Inputs x) { return cross_entropy(x[0], zeros); });
  check("linear_cross_entropy", {}, {{1, 2}, {3, 2}},
        [&](Inputs x) { return linear_cross_entropy(x[0], x[1], zero); });
  check("linear_cross_entropy", {}, {{2, 1}, {1, 1}},
        [&](Inputs x) { return linear_cross_entropy(x[0], x[1], zeros); });
  check("linear_cross_entropy", {}, {{2, 0}, {3, 0}},
        [&](Inputs x) { return linear_cross_entropy(x[0], x[1], zeros); });
  CHECK(cross_entropy(positive({2, 1}, 1), zeros).item() == 0);
}

TEST_CASE("attention over few tokens or none") {
  const auto check_attention = [](Index queries, Index keys, Index width, const Segments& sentences) {
    for (const bool causal : {false, true})
      check("attention", {queries, width}, {{queries, width}, {keys, width}, {keys, width}}, [&](Inputs x) {
        return attention(x[0], x[1], x[2], sentences, {1, causal, some});
      });
  };
  check_attention(0, 0, 4, {});
  check_attention(0, 0, 4, {{0, 0, 0, 0}});
  check_attention(2, 3, 4, {});
  check_attention(0, 3, 4, {{0, 0, 0, 3}});
  check_attention(3, 0, 4, {{0, 3, 0, 0}});
  check_attention(1, 1, 1, {{0, 1, 0, 1}});
  check_attention(2, 2, 1, {{0, 1, 0, 1}, {1, 2, 1, 2}});
  check_attention(2, 2, 4, {{0, 0, 0, 0}, {0, 2, 0, 2}, {2, 2, 2, 2}});
  CHECK(attention_weights(Tensor::empty({0, 4}), Tensor::empty({0, 4}), {}, {}).empty());
}

TEST_CASE("scores of few rows or none") {
  const KeyRanges none = all_keys({}), one = all_keys({{0, 1, 0, 1}});
  for (const Index width : {0, 1, 4}) {
    check("dot_scores", {0}, {{0, width}, {3, width}},
          [&](Inputs x) { return dot_scores(x[0], x[1], none); });
    check("dot_scores", {1}, {{1, width}, {1, width}}, [&](Inputs x) { return dot_scores(x[0], x[1], one); });
    check("weighted_sum", {0, width}, {{0}, {3, width}},
          [&](Inputs x) { return weighted_sum(x[0], x[1], none); });
    check("weighted_sum", {1, width}, {{1}, {1, width}},
          [&](Inputs x) { return weighted_sum(x[0], x[1], one); });
  }
  for (const Normaliser normaliser :
       {Normaliser::softmax, Normaliser::sparsemax, Normaliser::relu, Normaliser::sigmoid})
    for (const KeyRanges& ranges : {none, one})
      check("normaliser", {ranges.pairs()}, {{ranges.pairs()}},
            [&](Inputs x) { return normalise(x[0], ranges, normaliser); });
}
