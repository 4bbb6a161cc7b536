#include "apps/experiments/rules/results.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "autograd/machine/error.h"

namespace regard::experiments {

double Results::Run::value(const std::string& measurement, Index index) const {
  const auto found = measurements.find(measurement);
  if (found == measurements.end()) {
    std::string known;
    for (const auto& [name, values] : measurements) known += (known.empty() ? "" : ", ") + name;
    fail("seed {} has no measurement \"{}\"; it has {}", seed, measurement, known);
  }
  const std::vector<double>& values = found->second;
  if (index < 0 || index >= to_index(values.size()))
    fail("\"{}\" has {} entries, so none with the index {}", measurement, values.size(), index);
  return values[to_size(index)];
}

const Results::OfVariant& Results::of(const std::string& variant) const {
  const auto found = std::ranges::find(variants, variant, &OfVariant::name);
  if (found == variants.end() || found->runs.empty()) fail("there are no results of \"{}\"", variant);
  return *found;
}

Range Results::range(const std::string& variant, const std::string& measurement, Index index) const {
  const std::vector<Run>& runs = of(variant).runs;
  Range range{.mean = 0, .least = INFINITY, .most = -INFINITY};
  for (const Run& run : runs) {
    const double value = run.value(measurement, index);
    range.mean += value / static_cast<double>(runs.size());
    range.least = std::min(range.least, value);
    range.most = std::max(range.most, value);
  }
  return range;
}

std::string text(double number, int decimals) {
  return decimals < 0 ? fmt::format("{:.1e}", number) : fmt::format("{:.{}f}", number, decimals);
}

std::string text(const Range& range, int decimals) {
  const std::string mean = text(range.mean, decimals);
  if (range.least == range.most) return mean;
  return fmt::format("{} ({} to {})", mean, text(range.least, decimals), text(range.most, decimals));
}

}  // namespace regard::experiments
