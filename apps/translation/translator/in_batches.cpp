#include "apps/translation/translator/in_batches.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/processes/sharing.h"
#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hypothesis, tokens, log_probability, score)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExactResult, best, complete, expansions)

}}}  // namespace regard::REGARD_PRECISION::transformer

namespace regard::translation {

namespace {

using transformer::Hypothesis;
using transformer::PackedSequences;
using transformer::Prefix;
using transformer::SamplingOptions;
using transformer::SearchOptions;
/// The hypotheses of each sentence.
using Found = std::vector<std::vector<Hypothesis>>;

Found search(transformer::EncoderDecoder& model, const PackedSequences& source, const SearchOptions& options,
             const Prefix& prefix) {
  const std::vector<Prefix> prefixes(prefix.empty() ? 0 : to_size(source.sentences()), prefix);
  if (options.beam > 1) return beam_search(model, source, options, prefixes);
  Found result;
  for (Hypothesis& hypothesis : greedy_search(model, source, options, prefixes))
    result.push_back({std::move(hypothesis)});
  return result;
}

/// The hypotheses of search(model, options, prefix) for the sentences of a batch. With a shortlist, the model
/// has the tokens of the batch's list alone, and this is the one place where ids become places in the list
/// and back. `trees`: those that `search` records; null: none.
template <class Search>
Found search_with(const Searched& with, const PackedSequences& batch, SearchOptions options,
                  const Prefix& prefix, const Search& search,
                  std::vector<transformer::SearchTree>* trees = nullptr) {
  if (with.shortlist == nullptr) return search(with.model, options, prefix);
  ShortlistedModel listed = shortlisted(with.model, *with.shortlist, batch, options.make_rule, prefix);
  options.make_rule = listed.make_rule;
  Found found = search(listed.model, options, listed.places(prefix));
  for (auto& of_sentence : found)
    for (Hypothesis& hypothesis : of_sentence)
      hypothesis.tokens = listed.tokens(std::move(hypothesis.tokens));
  if (trees != nullptr)
    for (transformer::SearchTree& tree : *trees)
      for (auto& step : tree)
        for (transformer::SearchNode& node : step) node.token = listed.tokens({node.token}).front();
  return found;
}

/// Returns the most source tokens of a batch. A wide beam gets smaller batches, because the memory grows with
/// the number of hypotheses.
Index search_tokens(Index batch_tokens, Index beam) {
  constexpr Index wide = 8;
  return beam > wide ? batch_tokens / beam * wide : batch_tokens;
}

/// Draws samples of each sentence of a batch, at most `at_a_time` together. This limits the memory and does
/// not change the samples.
Found sample(transformer::EncoderDecoder& model, const PackedSequences& source, SamplingOptions options,
             std::span<const Index> numbers) {
  constexpr Index at_a_time = 1024;
  Found result(to_size(source.sentences()));
  for (Index left = options.search.n_best; left > 0; left -= at_a_time) {
    options.search.n_best = std::min(left, at_a_time);
    auto drawn = sample_search(model, source, options, numbers);
    for (std::size_t i = 0; i < result.size(); ++i)
      std::ranges::move(drawn[i], std::back_inserter(result[i]));
    options.first_sample += at_a_time;
  }
  return result;
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

/// Calls find(batch, which) for batches of similar length. `which` contains the positions of the batch's
/// sentences. Returns the results in the order of the sentences.
template <class Find>
Found in_batches(const transformer::Encoder& encoder, const std::vector<std::vector<std::int32_t>>& sources,
                 Index batch_tokens, Processes& processes, const Find& find) {
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
  Found result(sources.size());
  for (std::size_t i = 0; i < batches.size(); ++i)
    for (std::size_t j = 0; j < batches[i].size(); ++j) result[batches[i][j]] = std::move(found[i][j]);
  return result;
}

}  // namespace

void check_beam(const char* name, Index beam, Index vocabulary) {
  if (beam > vocabulary)
    fail("{} is {}, but the target vocabulary has only {} entries; give a beam of at most {}", name, beam,
         vocabulary, vocabulary);
}

void check_beam(const char* name, Index beam, const Searched& with) {
  check_beam(name, beam, with.model.target_vocabulary());
  if (with.shortlist != nullptr && beam > with.shortlist->least())
    fail("{} is {}, but the shortlist of a sentence may have only {} tokens; give a beam of at most {}", name,
         beam, with.shortlist->least(), with.shortlist->least());
}

Found search_all(const Searched& with, const std::vector<std::vector<std::int32_t>>& sources,
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

Found sample_all(const Searched& with, const std::vector<std::vector<std::int32_t>>& sources,
                 const SamplingOptions& options, std::span<const Index> numbers, Index batch_tokens,
                 Processes& processes) {
  check(options);
  return in_batches(with.model.encoder(), sources, batch_tokens / options.search.n_best, processes,
                    [&](const PackedSequences& batch, std::span<const std::size_t> which) {
                      std::vector<Index> of_batch;
                      for (const std::size_t i : which)
                        of_batch.push_back(numbers.empty() ? to_index(i) : numbers[i]);
                      return search_with(with, batch, options.search, {},
                                         [&](auto& model, const SearchOptions& search, const Prefix&) {
                                           SamplingOptions drawn = options;
                                           drawn.search = search;
                                           return sample(model, batch, std::move(drawn), of_batch);
                                         });
                    });
}

std::vector<transformer::ExactResult> exact_all(const Searched& with,
                                                const std::vector<std::vector<std::int32_t>>& sources,
                                                const transformer::ExactOptions& options,
                                                Processes& processes) {
  return compute_all(
      sources.size(),
      [&](std::size_t i) {
        const PackedSequences sentence = transformer::pack_sources({&sources[i], 1});
        transformer::ExactResult result;
        result.best = search_with(with, sentence, options.search, {},
                                  [&](auto& model, const SearchOptions& search, const Prefix&) -> Found {
                                    transformer::ExactOptions exact = options;
                                    exact.search = search;
                                    result = exact_search(model, sentence, exact).front();
                                    return {{result.best}};
                                  })
                          .front()
                          .front();
        return result;
      },
      processes);
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
