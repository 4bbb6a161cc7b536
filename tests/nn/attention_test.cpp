// The general attention layer: its properties, each with a case in which the property does not hold.
#include "nn/attention.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "autograd/machine/error.h"
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

TEST_CASE("sparsemax and relu, by hand") {
  // Martins and Astudillo 2016, section 2: z = (t, 0) has the solution ((1 + t)/2, (1 - t)/2) for |t| <= 1.
  const auto two = all_keys({{0, 1, 0, 2}}), four = all_keys({{0, 1, 0, 4}});
  CHECK(error(normalise(Tensor::from({2}, {Real(0.4), 0}), two, Normaliser::sparsemax), Numbers{0.7, 0.3}) <
        1e-15);
  CHECK(error(normalise(Tensor::from({2}, {3, 0}), two, Normaliser::sparsemax), Numbers{1, 0}) < 1e-15);
  const Real large = Real(1e17);  // the 1 of the sum is lost beside it
  CHECK(error(normalise(Tensor::from({4}, {large, 0, large, -large}), four, Normaliser::sparsemax),
              Numbers{0.5, 0, 0.5, 0}) < 1e-15);
  CHECK(error(normalise(Tensor::from({4}, {1, -2, 3, 0}), four, Normaliser::relu),
              Numbers{0.25, 0, 0.75, 0}) < 1e-15);
  CHECK(error(normalise(Tensor::from({4}, {-1, -2, -3, 0}), four, Normaliser::relu),
              Numbers{0.25, 0.25, 0.25, 0.25}) < 1e-15);
}

TEST_CASE("sigmoid: 1 / (1 + n e^-score), which looks at no other score") {
  const auto two = all_keys({{0, 1, 0, 2}}), four = all_keys({{0, 1, 0, 4}});
  const Tensor weights = normalise(Tensor::from({4}, {0, 1, -2, 3}), four, Normaliser::sigmoid);
  const auto by_hand = [](double score, double n) { return 1 / (1 + n * std::exp(-score)); };
  CHECK(error(weights, Numbers{0.2, by_hand(1, 4), by_hand(-2, 4), by_hand(3, 4)}) < 1e-15);
  CHECK(error(normalise(Tensor::from({2}, {0, 1}), two, Normaliser::sigmoid),
              Numbers{1.0 / 3, by_hand(1, 2)}) < 1e-15);
  const Tensor changed = normalise(Tensor::from({4}, {0, 9, 5, -3}), four, Normaliser::sigmoid);
  CHECK(same_bits(weights.view({1}), changed.view({1})));
  const auto first_of = [&](Normaliser normaliser, Real other) {
    return normalise(Tensor::from({2}, {Real(0.1), other}), two, normaliser).data()[0];
  };
  CHECK(first_of(Normaliser::sigmoid, Real(0.2)) == first_of(Normaliser::sigmoid, Real(0.4)));
  for (const Normaliser normaliser : {Normaliser::softmax, Normaliser::sparsemax, Normaliser::relu})
    CHECK(first_of(normaliser, Real(0.2)) != first_of(normaliser, Real(0.4)));
}

TEST_CASE("ranges of keys that lie before the first row, or overflow, or share a gradient, are refused") {
  constexpr Index huge = Index{1} << 62;
  CHECK_ERROR(all_keys({{0, 2, -9, -7}}), "the keys -9 to -7; rows count from 0");
  CHECK_ERROR(all_keys({{0, 4, 0, huge}}), "to 2147483648");
  CHECK_ERROR(all_keys({{0, huge, 0, 1}}), "to 2147483648");
  CHECK(keys_near({{0, 2, 0, 3}}, std::array{0.0, 9.0}, std::numeric_limits<Index>::max()).pairs() == 6);
  const KeyRanges apart = all_keys({{0, 1, 0, 2}, {1, 2, 2, 3}}),
                  shared = all_keys({{0, 1, 0, 2}, {1, 2, 1, 3}});
  const Tensor query = normal({2, width}, 1), key = normal({3, width}, 2),
               learnt = nn::parameter(key.clone());
  const Tensor weights = normal({4}, 3);
  CHECK_NOTHROW(weighted_sum(weights, key, shared));
  CHECK_NOTHROW(dot_scores(query, learnt, apart, 1));
  CHECK_NOTHROW(dot_scores(query, learnt, all_keys({{0, 1, 1, 3}, {1, 2, 0, 1}}), 1));
  CHECK_ERROR(weighted_sum(weights, learnt, shared), "two sentences share row 1 of the value");
  CHECK_ERROR(dot_scores(query, learnt, shared, 1), "two sentences share row 1 of the key");
}

TEST_CASE("a score or a centre that is NaN is refused by every normaliser and by local_p") {
  const Real nan = std::numeric_limits<Real>::quiet_NaN(), infinity = std::numeric_limits<Real>::infinity();
  const KeyRanges ranges = all_keys({{0, 2, 0, 3}});
  for (const Normaliser normaliser :
       {Normaliser::softmax, Normaliser::sparsemax, Normaliser::relu, Normaliser::sigmoid})
    for (Index i = 0; i < 6; ++i) {
      const Tensor scores = Tensor::from({6}, {1, 2, -infinity, 4, -5, 6});
      CHECK_NOTHROW(normalise(scores, ranges, normaliser));
      scores.data()[i] = nan;
      CHECK_THROWS_AS(normalise(scores, ranges, normaliser), NotFinite);
    }
  CHECK_THROWS_AS(keys_near({{0, 2, 0, 3}}, std::array{1.0, std::nan("")}, 1), NotFinite);
  const nn::Attention attention = make(ScoreKind::general, AttentionWindow::local_p);
  const Tensor x = normal({5, width}, 1), query = normal({2, width}, 2);
  CHECK_NOTHROW(look(attention, query, x));
  attention.position_v.data()[0] = nan;
  CHECK_THROWS_AS(look(attention, query, x), NotFinite);
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
