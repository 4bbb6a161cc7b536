#include <algorithm>
#include <cmath>

#include "autograd/machine/error.h"
#include "nn/general_attention/pairs.h"

namespace regard {

KeyRanges keys_near(const Segments& segments, std::span<const double> centres, Index radius) {
  if (radius < 1) fail("key ranges: the radius of a window is {}; it must be at least 1", radius);
  const Index queries = segments.empty() ? 0 : segments.back().query_end;
  if (to_index(centres.size()) != queries)
    fail("key ranges: there are {} centres for {} queries", centres.size(), queries);
  if (std::ranges::any_of(centres, [](double centre) { return std::isnan(centre); }))
    throw NotFinite("key ranges: a centre is NaN");
  return make_ranges(segments, [&](const Segment&, Index query, Index keys) {
    const double centre = std::clamp(centres[to_size(query)], 0.0, static_cast<double>(keys - 1));
    const double begin = std::ceil(centre - static_cast<double>(radius));
    const double end = std::floor(centre + static_cast<double>(radius)) + 1;
    return KeyBounds{static_cast<Index>(std::max(begin, 0.0)),
                     static_cast<Index>(std::min(end, static_cast<double>(keys)))};
  });
}

}  // namespace regard
