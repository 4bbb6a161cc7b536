// Random numbers: Philox as published, dropout as it is defined, and the distributions built on them.
#include "autograd/machine/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {
using Words = std::array<std::uint32_t, 4>;

/// The share of elements that dropout keeps.
double kept_share(double p, std::uint64_t key, std::uint64_t rows, std::uint64_t columns) {
  double kept = 0;
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t column = 0; column < columns; ++column) kept += dropout_keeps(p, key, row, column);
  return kept / static_cast<double>(rows * columns);
}

DropoutMask half(std::uint64_t key) { return {.probability = Real(0.5), .key = key}; }
}  // namespace

TEST_CASE("Philox 4x32-10 gives the known answers of Random123") {
  CHECK(philox({0, 0, 0, 0}, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffff) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("dropout decides for every element as dropout_keeps says") {
  // Widths on both sides of the 128 columns that are drawn together.
  for (const Index columns : {1, 2, 31, 33, 127, 128, 129, 256, 300})
    for (const double p : {0.1, 0.5, 0.9}) {
      const Index rows = 5;
      const DropoutMask some{.probability = static_cast<Real>(p), .key = 0x123456789abcdef0};
      const Tensor y = dropout(Tensor::full({rows, columns}, 1), some);
      const auto scale = static_cast<Real>(1 / (1 - p));
      Index wrong = 0;
      for (Index row = 0; row < rows; ++row)
        for (Index column = 0; column < columns; ++column) {
          const bool kept =
              dropout_keeps(p, some.key, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column));
          wrong += std::abs(y.at({row, column}) - (kept ? scale : 0)) > 1e-14;
        }
      INFO(columns << " columns, p = " << p);
      CHECK(wrong == 0);
    }
}

TEST_CASE("dropout treats all axes but the last as rows") {
  const Tensor x = normal({2, 3, 50}, 1);
  CHECK(same_bits(dropout(x, half(7)), reshape(dropout(reshape(x, {6, 50}), half(7)), {2, 3, 50})));
  CHECK(dropout(x, {}).is(x));
  const Tensor scalar = dropout(Tensor::scalar(3), half(7));
  CHECK((scalar.item() == 0 || scalar.item() == 6));
}

TEST_CASE("dropout keeps a share of 1 - p") {
  for (const double p : {0.001, 0.1, 0.3, 0.5, 0.9}) {
    const double deviation = std::sqrt(p * (1 - p) / 100'000);
    INFO("p = " << p);
    CHECK(std::abs(kept_share(p, 5, 500, 200) - (1 - p)) < 4 * deviation);
  }
  CHECK(kept_share(0, 5, 10, 200) == 1);
}

TEST_CASE("dropout in neighbouring rows, columns and keys is independent") {
  // The share of equal decisions at p = 1/2 is a half, give or take five deviations.
  const auto agreement = [](auto&& other) {
    double equal = 0;
    for (std::uint64_t row = 0; row < 200; ++row)
      for (std::uint64_t column = 0; column < 200; ++column)
        equal += dropout_keeps(0.5, 9, row, column) == other(row, column);
    return equal / 40'000;
  };
  const double margin = 5 * 0.5 / 200;
  CHECK(agreement([](auto r, auto c) { return dropout_keeps(0.5, 9, r, c); }) == 1);
  CHECK(agreement([](auto r, auto c) { return dropout_keeps(0.5, 10, r, c); }) == Approx(0.5).margin(margin));
  CHECK(agreement([](auto r, auto c) { return dropout_keeps(0.5, 9 + (1ull << 32), r, c); }) ==
        Approx(0.5).margin(margin));
  CHECK(agreement([](auto r, auto c) { return dropout_keeps(0.5, 9, r + 1, c); }) ==
        Approx(0.5).margin(margin));
  CHECK(agreement([](auto r, auto c) { return dropout_keeps(0.5, 9, r + (1ull << 32), c); }) ==
        Approx(0.5).margin(margin));
  for (const std::uint64_t distance : {1, 2, 32, 64, 128})
    CHECK(agreement([=](auto r, auto c) { return dropout_keeps(0.5, 9, r, c + distance); }) ==
          Approx(0.5).margin(margin));
}

TEST_CASE("every part of a stream's name changes its key") {
  const RandomStream base{.seed = 1, .step = 2, .part = 3, .layer = 4, .call = 5};
  std::set<std::uint64_t> keys{base.key()};
  RandomStream other = base;
  other.seed = 2;
  keys.insert(other.key());
  (other = base).step = 3;
  keys.insert(other.key());
  (other = base).part = 2;
  keys.insert(other.key());
  (other = base).layer = 5;
  keys.insert(other.key());
  (other = base).call = 4;
  keys.insert(other.key());
  CHECK(keys.size() == 6);
  CHECK(base.key() == RandomStream{1, 2, 3, 4, 5}.key());
}

TEST_CASE("the same seed gives the same numbers, another seed others") {
  Random a(5), b(5), c(6);
  int same = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t bits = a.bits();
    CHECK(bits == b.bits());
    same += bits == c.bits();
  }
  CHECK(same == 0);
}

TEST_CASE("below is in range and even") {
  Random random(3);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70'000; ++i) {
    const std::uint64_t number = random.below(7);
    REQUIRE(number < 7);
    ++counts[number];
  }
  double chi_squared = 0;
  for (const int count : counts) chi_squared += (count - 10'000.0) * (count - 10'000.0) / 10'000;
  CHECK(chi_squared < 22.46);  // exceeded once in a thousand
  CHECK(random.below(1) == 0);
  // Of a bound of 3 * 2^62, plain remainders would put half of all numbers into the lowest third.
  int lowest_third = 0;
  for (int i = 0; i < 3000; ++i) lowest_third += random.below(3ull << 62) < (1ull << 62);
  CHECK(lowest_third == Approx(1000).margin(130));
}

TEST_CASE("uniform and normal numbers have their moments") {
  Random random(4);
  const int n = 100'000;
  double uniform_sum = 0, uniform_squares = 0, sum = 0, squares = 0, cubes = 0, fourths = 0, product = 0;
  double previous = 0, least = 1, largest = 0;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform(), z = random.normal();
    least = std::min(least, u), largest = std::max(largest, u);
    uniform_sum += u, uniform_squares += u * u;
    sum += z, squares += z * z, cubes += z * z * z, fourths += z * z * z * z;
    product += z * previous;
    previous = z;
  }
  CHECK(least >= 0);
  CHECK(least < 1e-3);
  CHECK(largest < 1);
  CHECK(largest > 0.999);
  CHECK(uniform_sum / n == Approx(0.5).margin(0.005));
  CHECK(uniform_squares / n == Approx(1.0 / 3).margin(0.005));
  CHECK(sum / n == Approx(0).margin(0.016));
  CHECK(squares / n == Approx(1).margin(0.023));
  CHECK(cubes / n == Approx(0).margin(0.062));
  CHECK(fourths / n == Approx(3).margin(0.16));
  CHECK(product / n == Approx(0).margin(0.016));
}

TEST_CASE("random tensors lie where they should") {
  Random random(5);
  const Tensor u = Tensor::uniform({10'000}, -3, 5, random), z = Tensor::normal({10'000}, 2, 3, random);
  CHECK(*std::min_element(u.values().begin(), u.values().end()) >= -3);
  CHECK(*std::max_element(u.values().begin(), u.values().end()) < 5);
  CHECK(mean(u).item() == Approx(1).margin(0.12));
  CHECK(mean(z).item() == Approx(2).margin(0.15));
  CHECK(mean((z - Real(2)) * (z - Real(2))).item() == Approx(9).margin(0.65));
}

TEST_CASE("the default seed can be set") {
  const std::uint64_t before = default_seed();
  set_default_seed(17);
  CHECK(default_seed() == 17);
  set_default_seed(before);
}

TEST_CASE("Random::none() leaves the memory of weights untouched, and no other source does") {
  const auto is_nan = [](Real value) { return std::isnan(value); };
  Random none = Random::none(), some(1);
  poison_free_memory();
  for (const Tensor& x : {Tensor::normal({50}, 3, 1, none), Tensor::uniform({50}, 1, 2, none)})
    CHECK(std::all_of(x.values().begin(), x.values().end(), is_nan));
  for (const Tensor& x : {Tensor::normal({50}, 3, 1, some), Tensor::uniform({50}, 1, 2, some)})
    CHECK(std::none_of(x.values().begin(), x.values().end(), is_nan));
}
