// argmax and multinomial, against plain loops.
#include <array>
#include <cmath>
#include <limits>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

using Ids = std::vector<std::int32_t>;

/// The first position from the left whose running sum of weights is above the uniform number times the total.
Ids naive_draws(const Tensor& x, std::uint64_t seed) {
  Random random(seed);
  Ids drawn;
  for (Index row = 0; row < x.size(0); ++row) {
    double total = 0, sum = 0;
    for (Index i = 0; i < x.size(1); ++i) total += static_cast<double>(x.at({row, i}));
    const double place = random.uniform() * total;
    Index i = 0;
    for (; i < x.size(1); ++i) {
      sum += static_cast<double>(x.at({row, i}));
      if (sum > place) break;
    }
    drawn.push_back(static_cast<std::int32_t>(i));
  }
  return drawn;
}

}  // namespace

TEST_CASE("argmax is the first position of the largest value of each row") {
  CHECK(argmax(Tensor::from({2, 3}, {1, 3, 2, -1, -2, -3})) == Ids{1, 0});
  CHECK(argmax(Tensor::from({4}, {1, 7, 7, 2})) == Ids{1});
  CHECK(argmax(Tensor::empty({0, 3})).empty());
  const Tensor x = normal({3, 5, 17}, 1);
  Ids expected;
  for (Index row = 0; row < 15; ++row) {
    std::int32_t best = 0;
    for (std::int32_t i = 1; i < 17; ++i)
      if (x.data()[row * 17 + i] > x.data()[row * 17 + best]) best = i;
    expected.push_back(best);
  }
  CHECK(argmax(x) == expected);
}

TEST_CASE("multinomial draws what a plain loop draws") {
  const Tensor x = softmax(normal({200, 9}, 2));
  Random random(3);
  CHECK(multinomial(x, random) == naive_draws(x, 3));
  CHECK(multinomial(x, random) != naive_draws(x, 3));  // the next numbers of the sequence
}

TEST_CASE("multinomial draws each position as often as its value says, and never one with value 0") {
  constexpr Index draws = 40000;
  const Tensor x = Tensor::empty({draws, 4});
  const std::array<Real, 4> weights{2, 0, 5, 3};
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = weights[static_cast<std::size_t>(i % 4)];
  std::array<double, 4> counts{};
  Random random(4);
  for (const std::int32_t i : multinomial(x, random)) ++counts[static_cast<std::size_t>(i)];
  CHECK(counts[1] == 0);
  for (const std::size_t i : {0u, 2u, 3u}) {
    const double p = static_cast<double>(weights[i]) / 10;
    CHECK(std::abs(counts[i] - draws * p) < 4 * std::sqrt(draws * p * (1 - p)));  // four deviations
  }
}

TEST_CASE("argmax and multinomial refuse what has no answer") {
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN(),
                 infinity = std::numeric_limits<Real>::infinity();
  Random random(1);
  CHECK_ERROR(argmax(Tensor::empty({2, 0})), "argmax: x of shape [2, 0]");
  CHECK_ERROR(argmax(Tensor::scalar(1)), "argmax");
  CHECK_THROWS_AS(argmax(Tensor::from({2}, {1, nan})), NotFinite);
  CHECK(argmax(Tensor::from({2}, {1, infinity})) == Ids{1});
  CHECK_ERROR(multinomial(Tensor::empty({2, 0}), random), "[2, 0]");
  CHECK_ERROR(multinomial(Tensor::from({2}, {1, -1}), random), "-1");
  CHECK_ERROR(multinomial(Tensor::from({2}, {0, 0}), random), "positive");
  CHECK_THROWS_AS(multinomial(Tensor::from({2}, {1, nan}), random), NotFinite);
  CHECK_THROWS_AS(multinomial(Tensor::from({2}, {1, infinity}), random), NotFinite);
}
