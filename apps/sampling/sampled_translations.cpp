#include "apps/sampling/sampled_translations.h"

#include <algorithm>
#include <iterator>

namespace regard::translation {

using transformer::PackedSequences;
using transformer::SamplingOptions;
using transformer::SearchOptions;

namespace {

/// Draws samples of each sentence of a batch, at most `at_a_time` together. This limits the memory and does
/// not change the samples.
Hypotheses sample(transformer::EncoderDecoder& model, const PackedSequences& source, SamplingOptions options,
                  std::span<const Index> numbers) {
  constexpr Index at_a_time = 1024;
  Hypotheses result(to_size(source.sentences()));
  for (Index left = options.search.n_best; left > 0; left -= at_a_time) {
    options.search.n_best = std::min(left, at_a_time);
    auto drawn = sample_search(model, source, options, numbers);
    for (std::size_t i = 0; i < result.size(); ++i)
      std::ranges::move(drawn[i], std::back_inserter(result[i]));
    options.first_sample += at_a_time;
  }
  return result;
}

}  // namespace

Hypotheses sample_all(const Searched& with, const std::vector<std::vector<std::int32_t>>& sources,
                      const SamplingOptions& options, std::span<const Index> numbers, Index batch_tokens,
                      Processes& processes) {
  check(options);
  return in_batches(with.model.encoder(), sources, batch_tokens / options.search.n_best, processes,
                    [&](const PackedSequences& batch, std::span<const std::size_t> which) {
                      std::vector<Index> of_batch;
                      for (const std::size_t i : which)
                        of_batch.push_back(numbers.empty() ? to_index(i) : numbers[i]);
                      return search_with(with, batch, options.search, {},
                                         [&](auto& model, const SearchOptions& search, const auto&) {
                                           SamplingOptions drawn = options;
                                           drawn.search = search;
                                           return sample(model, batch, std::move(drawn), of_batch);
                                         });
                    });
}

std::vector<Translator::Result> sample(Translator& translator, std::vector<Translator::Source> sources,
                                       const SamplingOptions& options) {
  return translator.translate_with(
      std::move(sources), options.search,
      [&](const Translator::Ids& ids, const std::vector<Translator::Result*>& results) {
        std::vector<Index> lines;
        for (const Translator::Result* result : results) lines.push_back(result->source.line);
        return sample_all(translator.model().searched(), ids, options, lines, translator.batch_tokens(),
                          translator.processes());
      });
}

}  // namespace regard::translation
