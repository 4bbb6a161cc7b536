#include "apps/experiments/rules/interval.h"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "apps/random.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::experiments;

TEST_CASE("Student's quantiles are those of a printed table, and of another program far in the tail",
          "[experiments]") {
  // Abramowitz and Stegun 1964, table 26.10: two-sided 0.05 and 0.01, to three places.
  struct {
    Index degrees;
    double at_5_percent, at_1_percent;
  } constexpr printed[] = {{1, 12.706, 63.657}, {2, 4.303, 9.925}, {3, 3.182, 5.841},  {4, 2.776, 4.604},
                           {7, 2.365, 3.499},   {9, 2.262, 3.250}, {30, 2.042, 2.750}, {120, 1.980, 2.617}};
  for (const auto& [degrees, at_5_percent, at_1_percent] : printed) {
    CAPTURE(degrees);
    CHECK(std::abs(t_quantile(0.05, degrees) - at_5_percent) <= 0.0005);
    CHECK(std::abs(t_quantile(0.01, degrees) - at_1_percent) <= 0.0005);
  }
  // mpmath 1.3, 30 digits: the root t of betainc(v/2, 1/2, 0, v / (v + t^2), regularized=True) = p, for p =
  // 0.05/3, 0.05/150, 0.05/1000.
  struct {
    Index degrees;
    std::array<double, 3> at;
  } constexpr computed[] = {{1, {38.188459297, 1909.85914257, 12732.3954212}},
                            {2, {7.64880393792, 54.7585617356, 141.416052881}},
                            {4, {3.96078648277, 11.4384012522, 18.5223984334}},
                            {7, {3.12755227425, 6.50254942287, 8.78250921643}},
                            {8, {3.01576183689, 5.97287532494, 7.85064754247}},
                            {19, {2.62510591322, 4.36485398049, 5.20858252994}},
                            {120, {2.42800409407, 3.69436026811, 4.20791602285}}};
  for (const auto& [degrees, at] : computed)
    for (std::size_t i = 0; i < at.size(); ++i)
      CHECK(t_quantile(0.05 / std::array{3, 150, 1000}[i], degrees) == Approx(at[i]).epsilon(1e-9));
}

TEST_CASE("an interval is that of a hand calculation", "[experiments]") {
  // Mean 5, squares of the deviations 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, variance 32 / 7, standard error
  // sqrt(32 / 7 / 8) = 0.755929; t of 7 degrees of freedom at 0.05 is 2.364624.
  const Interval found = interval({2, 4, 4, 4, 5, 5, 7, 9}, 0.05);
  CHECK(found.mean == 5);
  CHECK(found.low == Approx(5 - 1.787487).epsilon(1e-6));
  CHECK(found.high == Approx(5 + 1.787487).epsilon(1e-6));
  const Interval wider = interval({2, 4, 4, 4, 5, 5, 7, 9}, 0.05 / 150);
  CHECK(wider.high == Approx(5 + 6.50254942287 * 0.755928946).epsilon(1e-8));
  // Equal numbers are a point, also where their mean is rounded.
  const Interval point = interval({0.1, 0.1, 0.1}, 0.05);
  CHECK(point.low == 0.1);
  CHECK(point.high == 0.1);
  // One number says nothing of its error.
  CHECK(interval({3}, 0.05).mean == 3);
  CHECK(std::isinf(interval({3}, 0.05).low));
  CHECK(std::isinf(interval({3}, 0.05).high));
}

TEST_CASE("an interval misses the true mean as often as it says", "[experiments]") {
  SplitMix64 random(1);
  const auto normal = [&] {  // Box and Muller 1958
    const double u = (static_cast<double>(random.below(1'000'000)) + 1) / 1e6;
    const double v = static_cast<double>(random.below(1'000'000)) / 1e6;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  };
  constexpr int draws = 20'000;
  for (const double error : {0.05, 0.01}) {
    int missed = 0;
    for (int draw = 0; draw < draws; ++draw) {
      std::vector<double> values(8);
      for (double& value : values) value = 3 + 2 * normal();
      const Interval found = interval(values, error);
      missed += found.low > 3 || found.high < 3;
    }
    const double expected = draws * error, deviation = std::sqrt(expected * (1 - error));
    CHECK(std::abs(missed - expected) < 4 * deviation);
  }
}
