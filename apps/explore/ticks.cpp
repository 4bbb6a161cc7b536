#include "apps/explore/ticks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace regard::explore {

namespace {

/// The smallest of 1, 2, 5, 10, 20, ... times a power of ten that is at least `length`.
double round_step(double length) {
  const double power = std::pow(10, std::floor(std::log10(length)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= length) return factor * power;
  return 10 * power;
}

}  // namespace

std::vector<double> Scale::ticks() const {
  std::vector<double> result;
  // Multiples, because a sum of steps would round: 0.30000000000000004.
  const double first = std::ceil(least / step - 1e-6), last = std::floor(most / step + 1e-6);
  for (double multiple = first; multiple <= last; ++multiple)
    result.push_back(multiple * step + 0.0);  // -0 becomes 0
  return result;
}

Scale make_scale(const std::vector<double>& values, int ticks) {
  constexpr double largest = 1e100;
  double least = largest, most = -largest;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, std::clamp(value, -largest, largest));
    most = std::max(most, std::clamp(value, -largest, largest));
  }
  if (least > most) return {};
  // Below this width, neighbouring ticks would have the same text.
  const double narrowest = std::max({std::abs(least), std::abs(most), 1e-100}) * 1e-4;
  if (most - least < narrowest) {
    least -= narrowest;
    most += narrowest;
  }
  const double step = round_step((most - least) / ticks);
  return {.least = std::floor(least / step + 1e-6) * step,
          .most = std::ceil(most / step - 1e-6) * step,
          .step = step};
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size >= 1e9) return fmt::format("{:.6g}", value);
  if (size >= 1e6) return fmt::format("{:.6g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.6g}k", value / 1e3);
  return fmt::format("{:.6g}", value);
}

}  // namespace regard::explore
