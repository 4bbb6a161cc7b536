#include "transformer/recurrent/time_major.h"

#include <algorithm>
#include <numeric>

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

TimeMajor::TimeMajor(const std::vector<Index>& offsets) : order(offsets.size() - 1) {
  const auto length = [&](std::int32_t i) { return offsets[to_size(i) + 1] - offsets[to_size(i)]; };
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  places.resize(to_size(offsets.back()));
  const Index longest = order.empty() ? 0 : length(order.front());
  for (Index t = 0; t < longest; ++t) {
    for (const std::int32_t sentence : order) {
      if (length(sentence) <= t) break;
      const Index row = offsets[to_size(sentence)] + t;
      places[to_size(row)] = static_cast<std::int32_t>(packed.size());
      packed.push_back(static_cast<std::int32_t>(row));
    }
    begin.push_back(to_index(packed.size()));
  }
}

}}}  // namespace regard::REGARD_PRECISION::transformer
