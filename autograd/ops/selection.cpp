#include <algorithm>
#include <cmath>
#include <span>

#include "autograd/graph.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// Calls choose(row) for each row of the last axis and collects the positions.
template <class Choose>
std::vector<std::int32_t> for_each_row(const Operation& op, const Tensor& x, const Choose& choose) {
  if (x.rank() == 0 || x.size(-1) == 0)
    op.fail("x of shape {} has no values to choose from: its last axis must have some", to_string(x.shape()));
  const std::size_t columns = to_size(x.size(-1));
  std::vector<std::int32_t> positions;
  for (std::span<const Real> rest = x.values(); !rest.empty(); rest = rest.subspan(columns))
    positions.push_back(static_cast<std::int32_t>(choose(rest.first(columns))));
  return positions;
}

}  // namespace

std::vector<std::int32_t> argmax(const Tensor& x) {
  const Operation op("argmax");
  return for_each_row(op, x, [&](std::span<const Real> row) {
    for (const Real value : row)
      if (std::isnan(value)) throw NotFinite("argmax: a value is NaN");
    return std::max_element(row.begin(), row.end()) - row.begin();
  });
}

std::vector<std::int32_t> multinomial(const Tensor& x, Random& random) {
  const Operation op("multinomial");
  return for_each_row(op, x, [&](std::span<const Real> row) {
    double sum = 0;
    for (const Real value : row) {
      if (!std::isfinite(value)) throw NotFinite("multinomial: a value is not finite");
      if (value < 0) op.fail("a value is {}; values must be at least 0", value);
      sum += static_cast<double>(value);
    }
    if (sum == 0) op.fail("all values of a row are 0; at least one must be positive");
    // The position whose part of [0, sum) holds `place`. Rounding cannot lead to a value of 0.
    double place = random.uniform() * sum;
    std::ptrdiff_t drawn = -1;
    for (std::size_t i = 0; i < row.size() && place >= 0; ++i) {
      if (row[i] == 0) continue;
      drawn = static_cast<std::ptrdiff_t>(i);
      place -= static_cast<double>(row[i]);
    }
    return drawn;
  });
}

}}  // namespace regard::REGARD_PRECISION
