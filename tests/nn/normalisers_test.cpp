// Weights over ranges of keys: the normalisers by hand, and what is refused.
#include <cmath>
#include <limits>

#include "autograd/machine/error.h"
#include "autograd/ops/ranges.h"
#include "nn/module.h"
#include "tests/catch.h"
#include "tests/tensors.h"

using namespace regard;
using namespace regard::tests;

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
  const KeyRanges apart = all_keys({{0, 1, 0, 2}, {1, 2, 2, 3}}),
                  shared = all_keys({{0, 1, 0, 2}, {1, 2, 1, 3}});
  const Tensor query = normal({2, 4}, 1), key = normal({3, 4}, 2), learnt = nn::parameter(key.clone());
  const Tensor weights = normal({4}, 3);
  CHECK_NOTHROW(weighted_sum(weights, key, shared));
  CHECK_NOTHROW(dot_scores(query, learnt, apart, 1));
  CHECK_NOTHROW(dot_scores(query, learnt, all_keys({{0, 1, 1, 3}, {1, 2, 0, 1}}), 1));
  CHECK_ERROR(weighted_sum(weights, learnt, shared), "two sentences share row 1 of the value");
  CHECK_ERROR(dot_scores(query, learnt, shared, 1), "two sentences share row 1 of the key");
}

TEST_CASE("a score that is NaN is refused by every normaliser") {
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
}
