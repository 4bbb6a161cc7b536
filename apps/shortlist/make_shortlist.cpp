#include "apps/shortlist/make_shortlist.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/translator/alignment.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

/// How often each target token was seen; an attention counts with its weight.
using Counts = std::unordered_map<std::int32_t, double>;

/// Smaller weights do not count. They say little, and each would make an entry.
constexpr Real least_weight = Real(0.02);

/// The most frequent tokens, at most `most`.
std::vector<std::int32_t> most_frequent(const Counts& counts, Index most) {
  std::vector<std::pair<double, std::int32_t>> order;  // ascending: most frequent first, then the smaller id
  for (const auto& [token, count] : counts) order.emplace_back(-count, token);
  const auto end = order.begin() + std::min(most, to_index(order.size()));
  std::partial_sort(order.begin(), end, order.end());
  std::vector<std::int32_t> tokens;
  for (auto entry = order.begin(); entry != end; ++entry) tokens.push_back(entry->second);
  return tokens;
}

/// Adds the weights with which the decoder looked at each source token when it predicted each target token.
/// `weights` as in source_attention.
void add(std::vector<Counts>& of_source, const Tensor& weights, const std::vector<std::int32_t>& source,
         const std::vector<std::int32_t>& target) {
  for (std::size_t i = 0; i < target.size(); ++i) {
    const Real* const row = weights.data() + to_index(i) * weights.size(1);
    for (std::size_t j = 0; j < source.size(); ++j)
      if (row[j] >= least_weight) of_source[to_size(source[j])][target[i]] += static_cast<double>(row[j]);
  }
}

}  // namespace

Shortlist make_shortlist(transformer::EncoderDecoder& model, const Vocabularies& vocabularies,
                         const ParallelCorpus& corpus, const ShortlistSettings& settings) {
  if (settings.first < 0 || settings.best < 0)
    fail("a shortlist of the {} most frequent and the {} best tokens is not possible; give at least 0",
         settings.first, settings.best);
  Counts of_all;
  std::vector<Counts> of_source(to_size(vocabularies.source.size()));
  for (const auto& pairs : plan_epoch(pair_lengths(corpus, &model.encoder()), default_batch_tokens, 1, 1)) {
    const std::vector<SourceAttention> attention = source_attention(model, make_batch(corpus, pairs));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (attention[i].plane) fail("a source in a plane has no tokens, so there is no shortlist");
      const std::vector<std::int32_t>& target = corpus.target[pairs[i]];
      add(of_source, attention[i].weights, corpus.source[pairs[i]], target);
      for (const std::int32_t token : target) ++of_all[token];
    }
  }
  std::vector<std::vector<std::int32_t>> lists;
  for (const Counts& counts : of_source) {
    const std::string& text = vocabularies.source.token(to_index(lists.size()));
    lists.push_back(most_frequent(counts, settings.best));
    if (const std::int32_t same = vocabularies.target.id(text); same != special::unknown)
      lists.back().push_back(same);
  }
  return {most_frequent(of_all, settings.first), std::move(lists)};
}

}  // namespace regard::translation
