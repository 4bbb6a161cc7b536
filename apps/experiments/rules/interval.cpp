#include "apps/experiments/rules/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "autograd/machine/error.h"

namespace regard::experiments {

namespace {

/// P(|T| > t), Abramowitz and Stegun 1964, 26.7.3 and 26.7.4: with theta = atan(t / sqrt(v)), P(|T| <= t) is
///   v even: sin(theta) (1 + 1/2 cos^2 + 1 3 / (2 4) cos^4 + ... up to cos^(v-2))
///   v odd:  2/pi (theta + sin(theta) (cos + 2/3 cos^3 + 2 4 / (3 5) cos^5 + ... up to cos^(v-2)))
double beyond(double t, Index v) {
  const double theta = std::atan(t / std::sqrt(static_cast<double>(v))), cosine = std::cos(theta);
  const bool even = v % 2 == 0;
  double sum = 0, term = even ? 1 : cosine;
  for (Index k = even ? 2 : 3; k <= v; k += 2) {
    sum += term;
    term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
  }
  sum *= std::sin(theta);
  return 1 - (even ? sum : 2 / std::numbers::pi * (theta + sum));
}

}  // namespace

double t_quantile(double probability, Index degrees_of_freedom) {
  double low = 0, high = 1;
  while (beyond(high, degrees_of_freedom) > probability) high *= 2;
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = (low + high) / 2;
    (beyond(middle, degrees_of_freedom) > probability ? low : high) = middle;
  }
  return high;
}

Interval interval(const std::vector<double>& values, double error) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() == 1) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {mean, -infinity, infinity};
  }
  if (std::ranges::min(values) == std::ranges::max(values)) return {values[0], values[0], values[0]};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = t_quantile(error, to_index(values.size()) - 1) * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - half, mean + half};
}

}  // namespace regard::experiments
