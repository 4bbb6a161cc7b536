#include "apps/translation/translator/in_batches.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/translator/hypothesis_json.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

using transformer::Hypothesis;
using transformer::PackedSequences;
using transformer::Prefix;
using transformer::SearchOptions;

Hypotheses search(transformer::EncoderDecoder& model, const PackedSequences& source,
                  const SearchOptions& options, const Prefix& prefix) {
  const std::vector<Prefix> prefixes(prefix.empty() ? 0 : to_size(source.sentences()), prefix);
  if (options.beam > 1) return beam_search(model, source, options, prefixes);
  Hypotheses result;
  for (Hypothesis& hypothesis : greedy_search(model, source, options, prefixes))
    result.push_back({std::move(hypothesis)});
  return result;
}

/// Returns the most source tokens of a batch. A wide beam gets smaller batches, because the memory grows with
/// the number of hypotheses.
Index search_tokens(Index batch_tokens, Index beam) {
  constexpr Index wide = 8;
  return beam > wide ? batch_tokens / beam * wide : batch_tokens;
}

/// Cuts a row of sentences, given by their positions, into batches. `lengths` are without </s>.
std::vector<std::span<const std::size_t>> cut(std::span<const std::size_t> order,
                                              std::span<const Index> lengths, Index batch_tokens) {
  std::vector<std::span<const std::size_t>> batches;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    Index tokens = 0;  // with </s>
    for (; end < order.size(); ++end) {
      const Index length = lengths[order[end]] + 1;
      if (end > begin && tokens + length > batch_tokens) break;
      tokens += length;
    }
    batches.push_back(order.subspan(begin, end - begin));
  }
  return batches;
}

}  // namespace

void check_beam(const char* name, Index beam, Index vocabulary) {
  if (beam > vocabulary)
    fail("{} is {}, but the target vocabulary has only {} entries; give a beam of at most {}", name, beam,
         vocabulary, vocabulary);
}

void check_beam(const char* name, Index beam, const Searched& with) {
  check_beam(name, beam, with.model.target_vocabulary());
  if (with.selection != nullptr) with.selection->check_beam(name, beam);
}

Hypotheses in_batches(const transformer::Encoder& encoder,
                      const std::vector<std::vector<std::int32_t>>& sources, Index batch_tokens,
                      Processes& processes, const FindBatch& find) {
  std::vector<Index> lengths;
  for (const std::vector<std::int32_t>& source : sources) lengths.push_back(source_length(encoder, source));
  std::vector<std::size_t> order(sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::less<>(), [&](std::size_t i) { return lengths[i]; });
  const auto batches = cut(order, lengths, batch_tokens);
  auto found = compute_all(
      batches.size(),
      [&](std::size_t i) {
        PackedSequences batch;
        for (const std::size_t sentence : batches[i]) batch.append(transformer::with_end(sources[sentence]));
        return find(batch, batches[i]);
      },
      processes);
  Hypotheses result(sources.size());
  for (std::size_t i = 0; i < batches.size(); ++i)
    for (std::size_t j = 0; j < batches[i].size(); ++j) result[batches[i][j]] = std::move(found[i][j]);
  return result;
}

Hypotheses search_with(const Searched& with, const PackedSequences& batch, const SearchOptions& options,
                       const Prefix& prefix, const SearchBatch& search,
                       std::vector<transformer::SearchTree>* trees) {
  if (with.selection == nullptr) return search(with.model, options, prefix);
  return with.selection->search_with(with.model, batch, options, prefix, search, trees);
}

Hypotheses search_all(const Searched& with, const std::vector<std::vector<std::int32_t>>& sources,
                      const SearchOptions& options, Index batch_tokens, Processes& processes,
                      const Prefix& prefix) {
  return in_batches(with.model.encoder(), sources, search_tokens(batch_tokens, options.beam), processes,
                    [&](const PackedSequences& batch, std::span<const std::size_t>) {
                      return search_with(
                          with, batch, options, prefix,
                          [&](auto& model, const SearchOptions& of_batch, const Prefix& begin) {
                            return search(model, batch, of_batch, begin);
                          });
                    });
}

std::vector<Hypothesis> recorded_search(const Searched& with, const std::vector<std::int32_t>& source,
                                        const SearchOptions& options, const Prefix& prefix,
                                        transformer::SearchTree& tree) {
  const PackedSequences sentence = transformer::pack_sources({&source, 1});
  std::vector<transformer::SearchTree> trees;
  const auto search = [&](auto& model, const SearchOptions& of_sentence, const Prefix& begin) {
    return beam_search(model, sentence, of_sentence, std::span(&begin, 1), &trees);
  };
  std::vector<Hypothesis> found =
      std::move(search_with(with, sentence, options, prefix, search, &trees).front());
  tree = std::move(trees.front());
  return found;
}

bool reached_limit(const transformer::Encoder& encoder, const std::vector<std::int32_t>& source,
                   const SearchOptions& options, const std::vector<std::int32_t>& translation) {
  return std::ssize(translation) >= greatest_length(options, source_length(encoder, source));
}

std::vector<transformer::ForcedScore> score_all(transformer::EncoderDecoder& model,
                                                const ParallelCorpus& corpus) {
  std::vector<transformer::ForcedScore> result(corpus.source.size());
  for (const auto& pairs : plan_epoch(pair_lengths(corpus, &model.encoder()), default_batch_tokens, 1, 1)) {
    std::vector<transformer::ForcedScore> of_batch = score(model, make_batch(corpus, pairs));
    for (std::size_t i = 0; i < pairs.size(); ++i) result[pairs[i]] = std::move(of_batch[i]);
  }
  return result;
}

}  // namespace regard::translation
