// The general attention layer: its properties, each with a case in which the property does not hold.
#include "nn/general_attention/attention.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "autograd/machine/error.h"
#include "nn/general_attention/pairs.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;
using nn::AttentionWindow;
using nn::ScoreKind;

namespace {

constexpr Index width = 4;
constexpr std::array<ScoreKind, 7> all_scores{
    ScoreKind::dot,      ScoreKind::scaled_dot,    ScoreKind::general, ScoreKind::additive,
    ScoreKind::location, ScoreKind::linear_concat, ScoreKind::cosine};

nn::Attention make(ScoreKind score, AttentionWindow window = AttentionWindow::global) {
  Random random(1);
  nn::Attention attention({.query_width = width,
                           .memory_width = width,
                           .score = score,
                           .window = window,
                           .radius = 2,
                           .positions = 12},
                          random);
  randomise(attention, 2, 0.8);
  return attention;
}

/// One sentence: every query looks at all of `x`.
nn::Attention::Result look(const nn::Attention& attention, const Tensor& query, const Tensor& x,
                           const std::vector<std::int32_t>& positions = {}) {
  return attention(query, attention.prepare(x), {{0, query.size(0), 0, x.size(0)}}, positions);
}

std::vector<std::int32_t> counted(Index n) {
  std::vector<std::int32_t> result(to_size(n));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

/// The rows of x in another order.
const std::vector<std::int32_t> order{3, 0, 4, 1, 2};
Tensor permuted(const Tensor& x) { return gather(x, 0, order); }

/// Row i of a times row j of b.
double product(const Tensor& a, Index i, const Tensor& b, Index j) {
  return std::inner_product(a.data() + i * width, a.data() + (i + 1) * width, b.data() + j * width, 0.0);
}

/// The weights as a matrix [queries, keys], with zeros outside of the windows.
Tensor matrix(const nn::Attention::Result& result, Index keys) {
  const Tensor weights = Tensor::zeros({result.ranges.queries(), keys});
  for (Index i = 0; i < result.ranges.queries(); ++i)
    std::copy_n(result.weights.data() + result.ranges.offsets[to_size(i)], result.ranges.count(i),
                weights.data() + i * keys + result.ranges.position[to_size(i)]);
  return weights;
}

}  // namespace

TEST_CASE("each score sees keys, queries, lengths and order, but for the exceptions") {
  const Tensor query = normal({5, width}, 3), x = normal({5, width}, 4), lengths = Tensor::empty({5, 1});
  for (Index i = 0; i < 5; ++i) lengths.data()[i] = static_cast<Real>(i + 1) / 2;
  for (const ScoreKind score : all_scores) {
    INFO(static_cast<int>(score));
    const nn::Attention attention = make(score);
    const auto weights = [&](const Tensor& of, const Tensor& over) {
      return look(attention, of, over).weights;
    };
    const auto context = [&](const Tensor& of, const Tensor& over) {
      return look(attention, of, over).context;
    };
    const bool location = score == ScoreKind::location;
    // Every source of one length gets the same weights.
    CHECK((error(weights(query, normal({5, width}, 5)), weights(query, x)) == 0) == location);
    // Every query gives the same weights.
    CHECK((error(weights(normal({5, width}, 6), x), weights(query, x)) < 1e-14) ==
          (score == ScoreKind::linear_concat));
    // The length of a key does not matter.
    CHECK((error(weights(query, x * lengths), weights(query, x)) < 1e-14) ==
          (score == ScoreKind::cosine || location));
    // Another order of the keys changes nothing, and another order of the queries the order of the outputs.
    CHECK((error(context(query, permuted(x)), context(query, x)) < 1e-14) == !location);
    CHECK(error(context(permuted(query), x), permuted(context(query, x))) < 1e-14);
  }
  const nn::Attention local = make(ScoreKind::general, AttentionWindow::local_m);  // here positions matter
  const auto context = [&](const Tensor& of, const Tensor& over) {
    return look(local, of, over, counted(5)).context;
  };
  CHECK(error(context(query, permuted(x)), context(query, x)) > 1e-3);
  CHECK(error(context(permuted(query), x), permuted(context(query, x))) > 1e-3);
}

TEST_CASE("the score linear_concat is w1 . s + w2 . h, by hand") {  // softmax would hide w1 . s
  const nn::Attention attention = make(ScoreKind::linear_concat);
  const Tensor query = normal({2, width}, 30), x = normal({3, width}, 31);
  const nn::Score& score = *attention.score;
  const std::vector<Tensor> weights = tensors(*attention.score);  // w1, w2
  Numbers expected;
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 3; ++j)
      expected.push_back(product(weights[0], 0, query, i) + product(weights[1], 0, x, j));
  CHECK(error(score(query, score.prepare(x), all_keys({{0, 2, 0, 3}})), expected) < 1e-14);
}

TEST_CASE("the score location in a window is that of the positions in the window") {
  const nn::Attention attention = make(ScoreKind::location);
  const Tensor query = normal({2, width}, 30), x = normal({10, width}, 31);
  const nn::Score& score = *attention.score;
  const Tensor everywhere = score(query, score.prepare(x), all_keys({{0, 2, 0, 10}}));
  const Tensor near = score(query, score.prepare(x), keys_near({{0, 2, 0, 10}}, std::array{6.0, 3.0}, 2));
  REQUIRE(near.size() == 10);
  for (Index i = 0; i < 5; ++i) {
    CHECK(near.data()[i] == everywhere.data()[4 + i]);
    CHECK(near.data()[5 + i] == everywhere.data()[10 + 1 + i]);
  }
}

TEST_CASE("local windows give exactly zero outside, and their work does not grow with the source") {
  for (const AttentionWindow window :
       {AttentionWindow::global, AttentionWindow::local_m, AttentionWindow::local_p}) {
    const nn::Attention attention = make(ScoreKind::general, window);
    const Tensor query = normal({6, width}, 11);
    const auto pairs = [&](Index keys) {
      const Tensor x = normal({keys, width}, 12);
      const nn::Attention::Result result = look(attention, query, x, counted(6));
      const Tensor weights = matrix(result, keys);
      const auto zeros = std::ranges::count(weights.values(), Real{0});
      CHECK((window == AttentionWindow::global
                 ? zeros == 0
                 : zeros >= 6 * (keys - 5)));  // 2 radius + 1 positions are seen
      return result.ranges.pairs();
    };
    const Index in_short = pairs(30), in_long = pairs(90);
    if (window == AttentionWindow::global) {
      CHECK(in_long == 3 * in_short);
    } else {
      CHECK(in_short <= 6 * 5);
      CHECK(in_long <= 6 * 5);
    }
  }
}

TEST_CASE("the window local_m follows the position of the query, and stays at the end of a shorter source") {
  const nn::Attention attention = make(ScoreKind::general, AttentionWindow::local_m);
  const nn::Attention::Result result =
      look(attention, normal({9, width}, 13), normal({5, width}, 14), counted(9));
  const std::vector<Index> first{0, 0, 0, 1, 2, 2, 2, 2, 2}, count{3, 4, 5, 4, 3, 3, 3, 3, 3};
  CHECK(result.ranges.first == first);
  for (Index i = 0; i < 9; ++i) CHECK(result.ranges.count(i) == count[to_size(i)]);
}

TEST_CASE("keys and values of their own, against plain loops") {
  Random random(24);
  nn::Attention attention({.query_width = 3,
                           .memory_width = width,
                           .score = ScoreKind::scaled_dot,
                           .key_width = 3,
                           .value_width = 2},
                          random);
  const Tensor query = normal({2, 3}, 25), x = normal({5, width}, 26);
  const Tensor keys = matmul(x, transpose(attention.key_weight)),
               values = matmul(x, transpose(attention.value_weight));
  const Tensor expected = matmul(softmax(matmul(query, transpose(keys)) / std::sqrt(Real(3))), values);
  CHECK(error(look(attention, query, x).context, expected) < 1e-14);
}

TEST_CASE("a centre that is NaN is refused by local_p") {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  CHECK_THROWS_AS(keys_near({{0, 2, 0, 3}}, std::array{1.0, std::nan("")}, 1), NotFinite);
  const nn::Attention attention = make(ScoreKind::general, AttentionWindow::local_p);
  const Tensor x = normal({5, width}, 1), query = normal({2, width}, 2);
  CHECK_NOTHROW(look(attention, query, x));
  attention.position_v.data()[0] = nan;
  CHECK_THROWS_AS(look(attention, query, x), NotFinite);
}

TEST_CASE("a window that is wider than any sentence holds all keys") {
  CHECK(keys_near({{0, 2, 0, 3}}, std::array{0.0, 9.0}, std::numeric_limits<Index>::max()).pairs() == 6);
}

TEST_CASE("scores that need equal widths say so; the width of additive is by default the query's") {
  Random random(29);
  for (const ScoreKind score : all_scores) {
    const auto build = [&] {
      return nn::Attention({.query_width = 4, .memory_width = 5, .score = score}, random);
    };
    if (score == ScoreKind::dot || score == ScoreKind::scaled_dot || score == ScoreKind::cosine)
      CHECK_ERROR(build(), "4 and 5");
    else
      CHECK_NOTHROW(build());
    if (score == ScoreKind::additive) CHECK(tensors(*build().score).back().size() == 4);
  }
}
