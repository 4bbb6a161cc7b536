#include "apps/translation/metrics/ngrams.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "autograd/error.h"

namespace regard::translation {
namespace {

/// Returns the n-grams of a sentence in sorted order, so that equal n-grams are neighbours.
std::vector<std::u32string_view> sorted_ngrams(std::u32string_view symbols, std::size_t n) {
  std::vector<std::u32string_view> ngrams;
  for (std::size_t begin = 0; begin + n <= symbols.size(); ++begin)
    ngrams.push_back(symbols.substr(begin, n));
  std::sort(ngrams.begin(), ngrams.end());
  return ngrams;
}

}  // namespace

Index ngram_count(std::size_t length, std::size_t n) { return length < n ? 0 : to_index(length - n + 1); }

Index ngram_matches(std::u32string_view hypothesis, std::u32string_view reference, std::size_t n) {
  const auto ours = sorted_ngrams(hypothesis, n), theirs = sorted_ngrams(reference, n);
  // If an n-gram occurs k times in one and m times in the other, the intersection contains it min(k, m)
  // times.
  std::vector<std::u32string_view> common;
  std::set_intersection(ours.begin(), ours.end(), theirs.begin(), theirs.end(), std::back_inserter(common));
  return to_index(common.size());
}

}  // namespace regard::translation
