#include "apps/translation/metrics/length_buckets.h"

#include <algorithm>
#include <array>
#include <limits>

#include "apps/translation/metrics/bleu_tokenisers.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

constexpr Index width = 10;
constexpr std::size_t buckets = 6;
constexpr Index no_limit = std::numeric_limits<Index>::max();

std::size_t bucket_of(const std::string& reference) {
  return std::min(words_for_bleu(reference, {.tokeniser = BleuTokeniser::none}).size() / width, buckets - 1);
}

}  // namespace

std::string LengthBucket::name() const {
  if (shortest == 0) return fmt::format("<{}", longest + 1);
  if (longest == no_limit) return fmt::format(">={}", shortest);
  return fmt::format("{}-{}", shortest, longest);
}

std::vector<LengthBucket> bleu_by_length(const std::vector<std::string>& references,
                                         const std::vector<BleuCounts>& counts) {
  if (references.size() != counts.size())
    fail("BLEU by length: {} references, but counts of {} sentences", references.size(), counts.size());
  std::array<BleuCounts, buckets> sums;
  std::array<Index, buckets> sentences{};
  for (std::size_t i = 0; i < references.size(); ++i) {
    const std::size_t bucket = bucket_of(references[i]);
    sums[bucket] += counts[i];
    ++sentences[bucket];
  }
  std::vector<LengthBucket> result;
  for (std::size_t i = 0; i < buckets; ++i) {
    const auto shortest = to_index(i) * width;
    if (sentences[i] > 0)
      result.push_back({.shortest = shortest,
                        .longest = i + 1 == buckets ? no_limit : shortest + width - 1,
                        .sentences = sentences[i],
                        .bleu = bleu(sums[i])});
  }
  return result;
}

}  // namespace regard::translation
