#include "apps/shortlist/recall.h"

#include <algorithm>

namespace regard::translation {

ShortlistRecall recall(const Shortlist& shortlist, const ParallelCorpus& corpus) {
  ShortlistRecall result{.sentences = corpus.pairs()};
  for (std::size_t i = 0; i < corpus.source.size(); ++i) {
    const std::vector<std::int32_t> allowed = shortlist.tokens(corpus.source[i]);
    result.held += std::ranges::count_if(
        corpus.target[i], [&](std::int32_t token) { return std::ranges::binary_search(allowed, token); });
    result.tokens += to_index(corpus.target[i].size());
    result.listed += to_index(allowed.size());
  }
  return result;
}

}  // namespace regard::translation
