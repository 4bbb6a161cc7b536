// Multi-head attention against the same composed of small operations, one head and one sentence at a time.
#include "nn/multi_head_attention.h"

#include <algorithm>

#include "autograd/error.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;
using Mask = nn::MultiHeadAttention::Mask;

namespace {

nn::MultiHeadAttention make_attention(Index d_model, Index heads, std::uint64_t seed) {
  Random random(seed);
  nn::MultiHeadAttention attention({.d_model = d_model, .heads = heads}, random);
  randomise(attention, seed + 1);
  return attention;
}

/// x W^T + b with rows first .. first + count of the stacked projections.
Tensor project(const Tensor& x, const nn::MultiHeadAttention& attention, Index first, Index count) {
  return matmul(x, transpose(slice(attention.in_proj_weight, 0, first, first + count))) +
         slice(attention.in_proj_bias, 0, first, first + count);
}

/// softmax(q k^T / sqrt(d_k)) of one head and sentence; later keys far below any score if causal.
Tensor head_weights(const Tensor& q, const Tensor& k, Mask mask) {
  Tensor scores = matmul(q, transpose(k)) / std::sqrt(static_cast<Real>(q.size(1)));
  if (mask == Mask::causal) {
    const Tensor later = Tensor::zeros(scores.shape());
    for (Index i = 0; i < later.size(0); ++i)
      for (Index j = i + 1; j < later.size(1); ++j) later.data()[i * later.size(1) + j] = -1e30;
    scores = scores + later;
  }
  return softmax(scores);
}

/// Concat(head_1, …, head_h) W^O of every sentence.
Tensor composed(const nn::MultiHeadAttention& attention, Index heads, const Tensor& x, const Tensor& memory,
                const Segments& segments, Mask mask) {
  const Index d = attention.d_model(), d_k = d / heads;
  std::vector<Tensor> sentences;
  for (const Segment& s : segments) {
    const Tensor queries = slice(x, 0, s.query_begin, s.query_end),
                 keys = slice(memory, 0, s.key_begin, s.key_end);
    std::vector<Tensor> outputs;
    for (Index head = 0; head < heads; ++head) {
      const Tensor q = project(queries, attention, head * d_k, d_k);
      const Tensor k = project(keys, attention, d + head * d_k, d_k);
      const Tensor v = project(keys, attention, 2 * d + head * d_k, d_k);
      outputs.push_back(matmul(head_weights(q, k, mask), v));
    }
    sentences.push_back(concat(outputs, 1));
  }
  return matmul(concat(sentences, 0), transpose(attention.out_proj.weight)) + attention.out_proj.bias;
}

void check_same(const Tensor& got, const Tensor& expected, const std::vector<Tensor>& inputs) {
  CHECK(error(got, expected) < 1e-13);
  const std::vector<Tensor> dgot = gradients(got, inputs), dexpected = gradients(expected, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    INFO("gradient of input " << i);
    CHECK(error(dgot[i], dexpected[i]) < 1e-12);
    CHECK(error(dgot[i], dgot[i] * 0) > 1e-3);  // none is 0
  }
}

Tensor leaf(const Shape& shape, std::uint64_t seed) { return normal(shape, seed).set_requires_grad(); }

}  // namespace

TEST_CASE("h heads of self-attention are h single heads, value and gradients") {
  for (const Index heads : {1, 2, 3, 6}) {
    for (const Mask mask : {Mask::none, Mask::causal}) {
      INFO(heads << " heads, " << (mask == Mask::causal ? "causal" : "no mask"));
      auto attention = make_attention(12, heads, 1);
      const Tensor x = leaf({11, 12}, 3);
      const Segments sentences = self_segments({4, 1, 6});
      std::vector<Tensor> inputs = tensors(attention);
      inputs.push_back(x);
      check_same(attention.self(x, sentences, mask), composed(attention, heads, x, x, sentences, mask),
                 inputs);
    }
  }
}

TEST_CASE("h heads of cross-attention are h single heads, value and gradients") {
  for (const Index heads : {1, 2, 4}) {
    INFO(heads << " heads");
    auto attention = make_attention(8, heads, 5);
    const Tensor x = leaf({7, 8}, 6), memory = leaf({10, 8}, 7);
    const Segments sentences = segments(offsets({2, 4, 1}), offsets({5, 2, 3}));
    std::vector<Tensor> inputs = tensors(attention);
    inputs.insert(inputs.end(), {x, memory});
    check_same(attention.cross(x, memory, sentences),
               composed(attention, heads, x, memory, sentences, Mask::none), inputs);
  }
}

TEST_CASE("the number of heads and the mask matter") {
  auto attention = make_attention(12, 3, 1);
  const Tensor x = normal({5, 12}, 3);
  const Segments sentence = self_segments({5});
  const Tensor y = attention.self(x, sentence, Mask::none);
  CHECK(error(y, composed(attention, 4, x, x, sentence, Mask::none)) > 1e-3);
  CHECK(error(y, composed(attention, 3, x, x, sentence, Mask::causal)) > 1e-3);
}

TEST_CASE("attention returns its weights on request, and they change nothing") {
  auto attention = make_attention(8, 2, 15);
  const Tensor x = normal({7, 8}, 16);
  for (const Mask mask : {Mask::none, Mask::causal}) {
    nn::MultiHeadAttention::Weights weights;
    const Tensor y = attention.self(x, self_segments({3, 4}), mask, &weights);
    CHECK(same_bits(y, attention.self(x, self_segments({3, 4}), mask)));
    REQUIRE(weights.size() == 2);
    CHECK(weights[0].shape() == Shape{2, 3, 3});
    CHECK(weights[1].shape() == Shape{2, 4, 4});
    for (Index head = 0; head < 2; ++head) {
      const Tensor rows = slice(x, 0, 3, 7);
      const Tensor expected = head_weights(project(rows, attention, head * 4, 4),
                                           project(rows, attention, 8 + head * 4, 4), mask);
      CHECK(error(weights[1].view({4, 4}, head * 16), expected) < 1e-13);
    }
  }
}

TEST_CASE("attention in steps is attention at once") {
  auto attention = make_attention(8, 4, 17);
  const Tensor x = normal({5, 8}, 18), memory = normal({6, 8}, 19);
  const Segments sentence = segments({0, 5}, {0, 6});
  const Tensor query = attention.project_query(x), key_value = attention.project_key_value(memory);
  CHECK(key_value.shape() == Shape{6, 16});
  CHECK(same_bits(attention.attend(query, ColumnSlice(key_value, 0, 8), ColumnSlice(key_value, 8, 8),
                                   sentence, Mask::none),
                  attention.cross(x, memory, sentence)));
  const Tensor all = attention.project_query_key_value(x);
  CHECK(all.shape() == Shape{5, 24});
  CHECK(error(slice(all, 1, 0, 8), query) < 1e-14);
  CHECK(error(slice(all, 1, 8, 24), attention.project_key_value(x)) < 1e-14);
}

TEST_CASE("heads that do not divide d_model are refused") {
  Random random(1);
  const auto make = [&](Index heads) {
    return nn::MultiHeadAttention({.d_model = 8, .heads = heads}, random);
  };
  CHECK_THAT(MESSAGE_OF(make(3)), ContainsSubstring("heads (3) must divide d_model (8)"));
  CHECK_THAT(MESSAGE_OF(make(0)), ContainsSubstring("heads (0)"));
}
