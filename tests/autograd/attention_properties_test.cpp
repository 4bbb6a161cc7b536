// The properties of attention: which query sees which key, and with which weight. At the end, the plain
// attention of autograd/reference/attention.cpp, with which references_test.cpp compares the fast one: a case
// computed by hand, and why scores are divided by sqrt(d_k).
#include <algorithm>
#include <cmath>

#include "autograd/reference/attention.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

Tensor rows(const Tensor& x, Index begin, Index end) {
  return x.view({end - begin, x.size(1)}, begin * x.size(1)).clone();
}

Tensor with_row_changed(const Tensor& x, Index row) {
  Tensor changed = x.clone();
  for (Index i = 0; i < x.size(1); ++i) changed.data()[row * x.size(1) + i] += Real(0.5);
  return changed;
}

Tensor permuted(const Tensor& x, const std::vector<std::int32_t>& order) {
  const NoGrad no_grad;
  return gather(x, 0, order);
}

/// Self-attention of one sentence in which x is query, key and value.
Tensor self_attention(const Tensor& x, const AttentionOptions& options) {
  return attention(x, x, x, self_segments({x.size(0)}), options);
}

}  // namespace

TEST_CASE("causal: a changed token changes no output before it, not in one bit") {
  // 140 tokens are three blocks of queries.
  for (const Index length : {5, 140})
    for (const DropoutMask dropout : {DropoutMask{}, DropoutMask{Real(0.2), 3}}) {
      const Tensor x = normal({length, 4}, 1);
      const auto run = [&](const Tensor& input, bool causal) {
        return self_attention(input, {2, causal, dropout});
      };
      for (const Index t : {length - 1, length / 2, length - 70}) {
        if (t < 1) continue;
        INFO(length << " tokens, token " << t << " changed");
        const Tensor changed = with_row_changed(x, t);
        CHECK(same_bits(rows(run(x, true), 0, t), rows(run(changed, true), 0, t)));
        CHECK_FALSE(same_bits(rows(run(x, true), t, length), rows(run(changed, true), t, length)));
        CHECK_FALSE(same_bits(rows(run(x, false), 0, t), rows(run(changed, false), 0, t)));
      }
    }
}

TEST_CASE("causal: an output's gradient with respect to later tokens is exactly 0") {
  const Index length = 140;
  for (const bool causal : {true, false})
    for (const Index t : {0, 60, 100}) {
      const std::vector<Tensor> in =
          leaves({normal({length, 4}, 1), normal({length, 4}, 2), normal({length, 4}, 3)});
      const Tensor y = attention(in[0], in[1], in[2], self_segments({length}), {2, causal, {}});
      const Tensor only_t = Tensor::zeros({length, 4});
      for (Index i = 0; i < 4; ++i) only_t.data()[t * 4 + i] = Real(i + 1);
      backward(y, {.cotangent = only_t});
      for (const std::size_t input : {1, 2}) {  // key and value
        bool later_is_zero = true, itself_is_zero = true;
        for (Index i = (t + 1) * 4; i < length * 4; ++i)
          later_is_zero = later_is_zero && in[input].grad().data()[i] == 0;
        for (Index i = 0; i < 4; ++i)
          itself_is_zero = itself_is_zero && in[input].grad().data()[t * 4 + i] == 0;
        CHECK(later_is_zero == causal);
        CHECK((itself_is_zero == (causal && t == 0 && input == 1)));  // alone, its weight is 1 for every key
      }
    }
}

TEST_CASE("without a mask, attention follows a permutation of its queries and ignores one of its keys") {
  const Tensor q = normal({6, 4}, 1), k = normal({8, 4}, 2), v = normal({8, 4}, 3);
  const std::vector<std::int32_t> query_order{3, 0, 5, 1, 4, 2}, key_order{7, 2, 0, 4, 1, 6, 3, 5};
  const auto run = [](const Tensor& query, const Tensor& key, const Tensor& value, bool causal) {
    return attention(query, key, value, {{0, 6, 0, 8}}, {2, causal, {}});
  };
  CHECK(error(run(permuted(q, query_order), k, v, false), permuted(run(q, k, v, false), query_order)) <
        1e-14);
  CHECK(error(run(q, permuted(k, key_order), permuted(v, key_order), false), run(q, k, v, false)) < 1e-14);
  CHECK(error(run(q, permuted(k, key_order), v, false), run(q, k, v, false)) > 0.1);
  CHECK(error(run(q, permuted(k, key_order), permuted(v, key_order), true), run(q, k, v, true)) > 0.1);
}

TEST_CASE("weights sum to 1 and are exactly 0 where the mask is") {
  const Index n = 70, m = 90;
  const Tensor q = normal({n, 6}, 1), k = normal({m, 6}, 2);
  for (const bool causal : {false, true}) {
    const Tensor weights = attention_weights(q, k, {{0, n, 0, m}}, {3, causal, {}}).front();
    REQUIRE(weights.shape() == Shape{3, n, m});
    double worst = 0;
    Index wrong = 0;
    for (Index row = 0; row < 3 * n; ++row) {
      double total = 0;
      for (Index j = 0; j < m; ++j) {
        const Real weight = weights.data()[row * m + j];
        const bool hidden = causal && j > m - n + row % n;
        wrong += hidden ? weight != 0 : weight <= 0;
        total += weight;
      }
      worst = std::max(worst, std::abs(total - 1));
    }
    CHECK(worst < 1e-14);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a query without keys gives zeros, and its gradient is 0, not NaN") {
  const std::vector<Tensor> in = leaves({normal({8, 4}, 1), normal({5, 4}, 2), normal({5, 4}, 3)});
  // One sentence without keys; in the other, the mask leaves nothing to the first two queries; row 7 has
  // none.
  const Segments sentences{{0, 2, 0, 0}, {2, 7, 1, 4}};
  poison_free_memory();
  const Tensor y = attention(in[0], in[1], in[2], sentences, {2, true, {}});
  CHECK(same_bits(rows(y, 0, 4), Tensor::zeros({4, 4})));
  CHECK(same_bits(rows(y, 7, 8), Tensor::zeros({1, 4})));
  CHECK(error(rows(y, 4, 5), rows(in[2], 1, 2)) < 1e-14);  // the only key has all the weight
  poison_free_memory();
  const std::vector<Tensor> gradient = gradients(y, in);
  CHECK(same_bits(rows(gradient[0], 0, 4), Tensor::zeros({4, 4})));
  CHECK(same_bits(rows(gradient[0], 7, 8), Tensor::zeros({1, 4})));
  for (const std::size_t i : {1, 2})
    for (const Index row : {0, 4}) CHECK(same_bits(rows(gradient[i], row, row + 1), Tensor::zeros({1, 4})));
  CHECK(error(rows(gradient[0], 5, 7), Tensor::zeros({2, 4})) > 0.01);
}

TEST_CASE("reference attention: a case computed by hand") {
  // d_k = 4, so the scores are q k / 2: ln 3 and 0. The weights are 3/4 and 1/4.
  const Tensor q = Tensor::from({1, 4}, {2, 0, 0, 0});
  const Tensor k = Tensor::from({2, 4}, {std::log(Real(3)), 5, 0, 0, 0, 0, 7, 0});
  const Tensor v = Tensor::from({2, 4}, {4, 8, 0, 0, 0, 0, 4, 8});
  const auto [out, weights] = reference::attention(q, k, v, {{0, 1, 0, 2}}, {.heads = 1});
  CHECK(error(weights.front(), Numbers{0.75, 0.25}) < 1e-15);
  CHECK(error(out, Numbers{3, 6, 1, 2}) < 1e-15);
  // dp = dout v = (4, 0), dscore = p (dp - 3) = (0.75, -0.75), dq = sum of dscore k / 2, dk = dscore q / 2
  const Tensor dout = Tensor::from({1, 4}, {1, 0, 0, 0});
  const auto [dq, dk, dv, none] = reference::attention_backward(dout, q, k, v, {{0, 1, 0, 2}}, {.heads = 1});
  CHECK(error(dq, Numbers{0.375 * std::log(3.0), 0.375 * 5, -0.375 * 7, 0}) < 1e-15);
  CHECK(error(dk, Numbers{0.75, 0, 0, 0, -0.75, 0, 0, 0}) < 1e-15);
  CHECK(error(dv, Numbers{0.75, 0, 0, 0, 0.25, 0, 0, 0}) < 1e-15);
  CHECK_FALSE(none);  // there are no relative scores
}

TEST_CASE("reference attention: the weights are as even for wide heads as for narrow ones") {
  // Queries and keys of independent components with variance 1: the mean of each query's largest weight.
  const auto largest_weight = [](Index d_k) {
    const Tensor q = normal({100, d_k}, 1), k = normal({20, d_k}, 2), v = Tensor::zeros({20, d_k});
    const Tensor weights = reference::attention(q, k, v, {{0, 100, 0, 20}}, {.heads = 1}).weights.front();
    return mean(max(weights, {{2}})).item();
  };
  const double narrow = largest_weight(4), wide = largest_weight(1024);
  CHECK(wide > 0.1);
  CHECK(wide < 0.4);  // without the scale: above 0.9
  CHECK(wide == Approx(narrow).epsilon(0.3));
}
