#include "apps/more_measures/by_length.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

#include "apps/translation/metrics/bleu_tokenisers.h"
#include "autograd/machine/error.h"

namespace regard::translation {

std::string LengthBucket::name() const {
  if (!longest) return fmt::format(">={}", shortest);
  if (shortest == 0) return fmt::format("<{}", *longest + 1);
  return shortest == *longest ? fmt::format("{}", shortest) : fmt::format("{}-{}", shortest, *longest);
}

std::vector<LengthBucket> scores_by_length(const std::vector<std::string>& references,
                                           const std::vector<BleuCounts>& counts, const ExactMatches& exact,
                                           const std::vector<Index>& bounds, BleuTokeniser tokeniser) {
  if (references.size() != counts.size() || references.size() != exact.size())
    fail("scores by length: {} references, but counts of {} sentences and matches of {}", references.size(),
         counts.size(), exact.size());
  if (tokeniser != BleuTokeniser::character && tokeniser != BleuTokeniser::chinese)
    tokeniser = BleuTokeniser::none;
  std::vector<std::vector<std::size_t>> buckets(bounds.size() + 1);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const auto words = to_index(words_for_bleu(references[i], {.tokeniser = tokeniser}).size());
    buckets[to_size(std::ranges::upper_bound(bounds, words) - bounds.begin())].push_back(i);
  }
  std::vector<LengthBucket> result;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (buckets[b].empty()) continue;
    LengthBucket bucket{.shortest = b == 0 ? 0 : bounds[b - 1],
                        .longest = b < bounds.size() ? std::optional(bounds[b] - 1) : std::nullopt,
                        .sentences = to_index(buckets[b].size()),
                        .bleu = {},
                        .exact_match = {}};
    BleuCounts sum;
    ExactMatches matches;
    for (const std::size_t i : buckets[b]) {
      sum += counts[i];
      matches.push_back(exact[i]);
    }
    bucket.bleu = translation::bleu(sum);
    bucket.exact_match = translation::exact_match(matches);
    result.push_back(bucket);
  }
  return result;
}

}  // namespace regard::translation
