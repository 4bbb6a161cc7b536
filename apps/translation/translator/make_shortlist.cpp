#include "apps/translation/translator/make_shortlist.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "apps/translation/translator/alignment.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

using Counts = std::unordered_map<std::int32_t, Index>;

/// The most frequent tokens, at most `most`.
std::vector<std::int32_t> most_frequent(const Counts& counts, Index most) {
  std::vector<std::pair<Index, std::int32_t>> order;  // ascending: most frequent first, then the smaller id
  for (const auto& [token, count] : counts) order.emplace_back(-count, token);
  const auto end = order.begin() + std::min(most, to_index(order.size()));
  std::ranges::partial_sort(order, end);
  std::vector<std::int32_t> tokens;
  for (auto entry = order.begin(); entry != end; ++entry) tokens.push_back(entry->second);
  return tokens;
}

}  // namespace

Shortlist make_shortlist(transformer::EncoderDecoder& model, const Vocabularies& vocabularies,
                         const ParallelCorpus& corpus, const ShortlistSettings& settings) {
  if (settings.first < 0 || settings.best < 0)
    fail("a shortlist of the {} most frequent and the {} best tokens is not possible; give at least 0",
         settings.first, settings.best);
  Counts of_all;
  std::vector<Counts> of_source(to_size(vocabularies.source.size()));
  visit_alignments(model, corpus, [&](std::size_t pair, const Alignment& alignment) {
    for (const std::int32_t token : corpus.target[pair]) ++of_all[token];
    for (const Link& link : alignment)
      ++of_source[to_size(corpus.source[pair][to_size(link.source)])]
                 [corpus.target[pair][to_size(link.target)]];
  });
  std::vector<std::vector<std::int32_t>> lists;
  for (const Counts& counts : of_source) {
    std::vector<std::int32_t>& list = lists.emplace_back(most_frequent(counts, settings.best));
    const std::string& text = vocabularies.source.token(to_index(lists.size()) - 1);
    const std::int32_t same = vocabularies.target.id(text);
    if (same != special::unknown) list.push_back(same);
  }
  return {most_frequent(of_all, settings.first), std::move(lists)};
}

}  // namespace regard::translation
