// Operands that do not fit are refused with a sentence that names the operation and the operands.
#include "tests/autograd/refuses.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

Tensor of(const Shape& shape) { return Tensor::full(shape, 1); }

}  // namespace

TEST_CASE("arithmetic refuses shapes that cannot be broadcast") {
  const Tensor a = of({2, 3, 4}), b = of({2, 4});
  CHECK_REFUSES(a + b, "add", "[2, 3, 4]", "[2, 4]", "axis -2", "3 against 2");
  CHECK_REFUSES(a - b, "subtract", "[2, 3, 4]", "[2, 4]");
  CHECK_REFUSES(a * b, "multiply", "[2, 3, 4]", "[2, 4]");
  CHECK_REFUSES(b / a, "divide", "[2, 3, 4]", "[2, 4]");
  CHECK_REFUSES(of({0, 3}) + of({2, 3}), "add", "[0, 3]", "[2, 3]");
}

TEST_CASE("reshape, transpose, slice, concat and gather refuse what lies outside") {
  const Tensor x = of({2, 3});
  CHECK_REFUSES(reshape(x, {4, 2}), "reshape", "[2, 3]", "[4, 2]", "6", "8");
  CHECK_REFUSES(transpose(x, 0, 2), "shape [2, 3]", "axis 2");
  CHECK_REFUSES(transpose(of({3})), "shape [3]", "axis -2");
  CHECK_REFUSES(slice(x, 1, 2, 4), "slice", "2 to 4", "axis 1", "[2, 3]");
  CHECK_REFUSES(slice(x, 1, 2, 1), "slice", "2 to 1", "[2, 3]");
  CHECK_REFUSES(slice(x, 0, -1, 1), "slice", "-1 to 1", "[2, 3]");
  CHECK_REFUSES(slice(x, -3, 0, 1), "shape [2, 3]", "axis -3");
  CHECK_REFUSES(concat({x, of({2, 4})}, 0), "concat", "[2, 3]", "[2, 4]", "axis 0");
  CHECK_REFUSES(concat({x, of({2})}, 0), "concat", "[2, 3]", "[2]");
  CHECK_REFUSES(concat({}, 0), "concat", "at least one");
  CHECK_REFUSES(gather(x, 1, std::vector<std::int32_t>{0, 3}), "gather", "index 3", "axis 1", "[2, 3]");
  CHECK_REFUSES(gather(x, 0, std::vector<std::int32_t>{-1}), "gather", "index -1", "axis 0", "[2, 3]");
}

TEST_CASE("reductions refuse axes that do not exist, and nothing to reduce") {
  const Tensor x = of({2, 3});
  CHECK_REFUSES(sum(x, {{2}}), "shape [2, 3]", "axis 2");
  CHECK_REFUSES(mean(x, {{-3}}), "shape [2, 3]", "axis -3");
  CHECK_REFUSES(mean(of({2, 0}), {{1}}), "mean", "[2, 0]");
  CHECK_REFUSES(max(of({2, 0}), {{1}}), "max", "[2, 0]");
  CHECK_REFUSES(max(of({0})), "max", "[0]");
}

TEST_CASE("products refuse matrices that do not fit") {
  CHECK_REFUSES(matmul(of({2, 3}), of({4, 5})), "matmul", "[2, 3]", "[4, 5]");
  CHECK_REFUSES(matmul(of({2, 3, 4}), of({3, 4, 5})), "matmul", "[2, 3, 4]", "[3, 4, 5]", "leading axes");
  CHECK_REFUSES(matmul(of({3}), of({3, 2})), "matmul", "[3]", "[3, 2]", "two axes");
  CHECK_REFUSES(matmul(of({2, 3}), of({1, 3, 2})), "matmul", "[2, 3]", "[1, 3, 2]");
  CHECK_REFUSES(linear(of({2, 3}), of({5, 4}), {}), "linear", "[2, 3]", "[5, 4]");
  CHECK_REFUSES(linear(of({2, 2, 3}), of({5, 3}), {}), "linear", "[2, 2, 3]", "[5, 3]");
  CHECK_REFUSES(linear(of({2, 3}), of({5, 3}), of({3})), "linear", "[3]", "[5, 3]", "expected [5]");
  CHECK_REFUSES(linear_relu(of({2, 3}), of({5, 4}), of({5})), "linear_relu", "[2, 3]", "[5, 4]");
  CHECK_REFUSES(linear_relu(of({2, 3}), of({5, 3}), of({1, 5})), "linear_relu", "[1, 5]", "expected [5]");
  CHECK_REFUSES(linear_relu(of({2, 3}), of({5, 3}), {}), "linear_relu", "bias", "[5]");
  CHECK_REFUSES(linear_gelu(of({2, 3}), of({5, 4}), of({5})), "linear_gelu", "[2, 3]", "[5, 4]");
  CHECK_REFUSES(linear_silu(of({2, 3}), of({5, 3}), {}), "linear_silu", "bias", "[5]");
}

TEST_CASE("normalisation refuses weights that do not fit, and scalars") {
  const Tensor x = of({2, 3}), three = of({3}), four = of({4});
  CHECK_REFUSES(softmax(of({})), "softmax", "scalar");
  CHECK_REFUSES(log_softmax(of({})), "log_softmax", "scalar");
  CHECK_REFUSES(layer_norm(of({}), three, three), "layer_norm", "scalar");
  CHECK_REFUSES(layer_norm(x, four, three), "layer_norm", "[4]", "[2, 3]", "expected [3]");
  CHECK_REFUSES(layer_norm(x, three, four), "layer_norm", "[4]", "[2, 3]", "expected [3]");
  CHECK_REFUSES(residual_layer_norm(x, of({3, 2}), {}, three, three), "residual_layer_norm", "[2, 3]",
                "[3, 2]");
  CHECK_REFUSES(residual_layer_norm(x, x, {}, four, three), "residual_layer_norm", "[4]", "[2, 3]");
  CHECK_REFUSES(residual_dropout(x, of({3, 2}), {}), "residual_dropout", "[2, 3]", "[3, 2]");
}

TEST_CASE("every dropout refuses a number that is not a probability") {
  const Tensor x = of({2, 3}), w = of({3, 3}), b = of({3});
  for (const double p : {-0.1, 1.0, 1.5, std::nan("")}) {
    const DropoutMask wrong{static_cast<Real>(p), 1};
    const std::string value = fmt::format("probability {}", wrong.probability);
    CHECK_REFUSES(dropout(x, wrong), "dropout", value.c_str());
    CHECK_REFUSES(residual_dropout(x, x, wrong), "residual_dropout", value.c_str());
    CHECK_REFUSES(residual_layer_norm(x, x, wrong, b, b), "residual_layer_norm", value.c_str());
    CHECK_REFUSES(linear_relu(x, w, b, wrong), "linear_relu", value.c_str());
    CHECK_REFUSES(linear_silu(x, w, b, wrong), "linear_silu", value.c_str());
    CHECK_REFUSES(attention(x, x, x, {{0, 2, 0, 2}}, {1, false, wrong}), "attention", value.c_str());
  }
}

TEST_CASE("ids outside the vocabulary are named, with their place") {
  const Tensor weight = of({5, 3}), logits = of({2, 5}), x = of({2, 3});
  const std::vector<std::int32_t> large{4, 5}, negative{-1, 0}, one{1};
  CHECK_REFUSES(embedding(weight, large), "embedding", "id 5", "position 1", "5 entries");
  CHECK_REFUSES(embedding(weight, negative), "embedding", "id -1", "position 0", "5 entries");
  CHECK_REFUSES(embedding(of({5}), one), "embedding", "[5]");
  CHECK_REFUSES(cross_entropy(logits, large), "cross_entropy", "target 5", "row 1", "5 entries");
  CHECK_REFUSES(cross_entropy(logits, negative), "cross_entropy", "target -1", "row 0", "5 entries");
  CHECK_REFUSES(cross_entropy(logits, one), "cross_entropy", "2 rows", "1 targets");
  CHECK_REFUSES(cross_entropy(of({5}), one), "cross_entropy", "[5]");
  CHECK_REFUSES(cross_entropy(of({0, 5}), {}), "cross_entropy", "0 rows");
  CHECK_REFUSES(linear_cross_entropy(x, weight, large), "linear_cross_entropy", "target 5", "5 entries");
  CHECK_REFUSES(linear_cross_entropy(x, weight, one), "linear_cross_entropy", "2 rows", "1 targets");
  CHECK_REFUSES(linear_cross_entropy(x, of({5, 4}), one), "linear_cross_entropy", "[2, 3]", "[5, 4]");
  CHECK_REFUSES(linear_cross_entropy(x, weight, of({4}), one), "linear_cross_entropy", "[4]", "[5, 3]");
}

TEST_CASE("label smoothing lies in [0, 1)") {
  const std::vector<std::int32_t> targets{1, 2};
  for (const double smoothing : {-0.1, 1.0, std::nan("")}) {
    const CrossEntropyOptions wrong{.label_smoothing = static_cast<Real>(smoothing)};
    CHECK_REFUSES(cross_entropy(of({2, 5}), targets, wrong), "cross_entropy", "label_smoothing");
    CHECK_REFUSES(linear_cross_entropy(of({2, 3}), of({5, 3}), targets, wrong), "linear_cross_entropy",
                  "label_smoothing");
  }
}

TEST_CASE("attention refuses widths, heads, columns and sentences that do not fit") {
  const Tensor q = of({4, 6}), k = of({5, 6}), v = of({5, 6});
  const Segments all{{0, 4, 0, 5}};
  const AttentionOptions two{.heads = 2};
  CHECK_REFUSES(attention(q, of({5, 4}), v, all, two), "attention", "[4, 6]", "[5, 4]", "[5, 6]");
  CHECK_REFUSES(attention(q, k, of({6, 6}), all, two), "attention", "[5, 6]", "[6, 6]");
  CHECK_REFUSES(attention(q, k, v, all, {.heads = 4}), "attention", "4 heads", "6");
  CHECK_REFUSES(attention(q, k, v, all, {.heads = 0}), "attention", "0 heads", "6");
  CHECK_REFUSES(attention(of({4}), k, v, all, two), "attention", "[4]");
  CHECK_REFUSES(attention({q, 2, 6}, k, v, all, two), "attention", "columns 2 to 8", "[4, 6]");
  CHECK_REFUSES(attention({q, -1, 6}, k, v, all, two), "attention", "columns -1 to 5", "[4, 6]");
  CHECK_REFUSES(attention_weights(q, of({5, 4}), all, two), "attention", "[4, 6]", "[5, 4]");
  for (const Segments& wrong : {Segments{{0, 5, 0, 5}}, Segments{{0, 4, 0, 6}}, Segments{{-1, 4, 0, 5}},
                                Segments{{3, 2, 0, 5}}, Segments{{0, 4, 3, 2}}})
    CHECK_REFUSES(attention(q, k, v, wrong, two), "attention", "outside 4 query rows and 5 key rows");
  CHECK_REFUSES(attention(q, k, v, {{0, 3, 0, 2}, {2, 4, 2, 5}}, two), "attention", "queries 2 to 4",
                "overlaps");
  CHECK_REFUSES(attention(q, k, v, {{0, 2, 0, 3}, {2, 4, 2, 5}}, two), "attention", "keys 2 to 5",
                "overlaps");
  CHECK_REFUSES(attention({q, 0, 4}, {q, 2, 4}, {q, 0, 4}, {{0, 4, 0, 4}}, two), "attention",
                "columns 0 to 4 and columns 2 to 6 of one matrix overlap");
  CHECK_REFUSES(attention({q, 0, 2}, {q, 2, 2}, {q, 1, 2}, {{0, 4, 0, 4}}, two), "attention",
                "columns 0 to 2 and columns 1 to 3 of one matrix overlap");
  CHECK_REFUSES(attention_weights({q, 2, 4}, {q, 1, 4}, {{0, 4, 0, 4}}, two), "attention_weights",
                "columns 2 to 6 and columns 1 to 5 of one matrix overlap");
  CHECK_REFUSES(segments({0, 2}, {0, 2, 3}), "segments", "2 offsets of queries and 3 of keys");
  CHECK_REFUSES(segments({0, 2, 1}, {0, 2, 3}), "segments", "sentence 1");
  CHECK_REFUSES(segments({}, {}), "segments", "0 offsets");
}

TEST_CASE("tensors refuse impossible shapes and places") {
  const Tensor x = of({2, 3});
  CHECK_REFUSES(Tensor::empty({2, -1}), "a tensor cannot have the shape [2, -1]");
  CHECK_REFUSES(Tensor::from({2, 2}, {1, 2, 3}), "a tensor of shape [2, 2]", "4 values", "3");
  CHECK_REFUSES(x.item(), "item", "[2, 3]");
  CHECK_REFUSES(x.at({1}), "at", "1 indices", "[2, 3]");
  CHECK_REFUSES(x.at({1, 3}), "at", "index 3", "axis 1", "[2, 3]");
  CHECK_REFUSES(x.at({-1, 0}), "at", "index -1", "axis 0", "[2, 3]");
  CHECK_REFUSES(x.view({3, 3}), "view", "[3, 3]", "[2, 3]");
  CHECK_REFUSES(x.view({2}, 5), "view", "[2]", "element 5", "[2, 3]");
  CHECK_REFUSES(x.view({-1}), "a tensor cannot have the shape [-1]");
  CHECK_REFUSES(reshape(x, {-2, -3}), "a tensor cannot have the shape [-2, -3]");
  CHECK_REFUSES(x.size(2), "shape [2, 3]", "axis 2");
}

TEST_CASE("thread counts lie in a range") {
  const int before = threads();
  CHECK_REFUSES(set_threads(-1), "-1 threads", "1 to");
  CHECK_REFUSES(set_threads(0), "0 threads", "1 to");
  CHECK_REFUSES(set_threads(2000), "2000 threads", "1024");
  CHECK(threads() == before);
}
