#include "apps/translation/metrics/alignment_error_rate.h"

#include <algorithm>

#include "autograd/error.h"

namespace regard::translation {

AlignmentCounts& AlignmentCounts::operator+=(const AlignmentCounts& other) {
  links += other.links;
  sure += other.sure;
  links_in_sure += other.links_in_sure;
  links_in_possible += other.links_in_possible;
  return *this;
}

AlignmentCounts alignment_counts(const Alignment& alignment, const GoldAlignment& gold) {
  const auto links_in = [&](const Alignment& sorted) {
    return std::ranges::count_if(alignment,
                                 [&](const Link& link) { return std::ranges::binary_search(sorted, link); });
  };
  return {.links = to_index(alignment.size()),
          .sure = to_index(gold.sure.size()),
          .links_in_sure = links_in(gold.sure),
          .links_in_possible = links_in(gold.possible)};
}

AlignmentQuality alignment_quality(const AlignmentCounts& counts) {
  const auto fraction = [](Index part, Index whole) {
    return whole == 0 ? std::nullopt : std::optional(static_cast<double>(part) / static_cast<double>(whole));
  };
  AlignmentQuality quality{
      .error_rate = fraction(counts.links_in_sure + counts.links_in_possible, counts.links + counts.sure),
      .precision = fraction(counts.links_in_possible, counts.links),
      .recall = fraction(counts.links_in_sure, counts.sure)};
  if (quality.error_rate) quality.error_rate = 1 - *quality.error_rate;
  return quality;
}

}  // namespace regard::translation
