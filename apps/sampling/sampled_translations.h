#pragma once

#include <span>
#include <vector>

#include "apps/sampling/sampling.h"
#include "apps/translation/translator/translator.h"

namespace regard::translation {

/// Draws samples of each tokenised sentence in batches of similar length. With n samples per sentence, a
/// batch has at most `batch_tokens` / n source tokens. At most 1,024 samples of a sentence are drawn at the
/// same time. `numbers` are the numbers of the sentences; empty: 0, 1, 2, … The processes are as in
/// search_all.
Hypotheses sample_all(const Searched& with, const std::vector<std::vector<std::int32_t>>& sources,
                      const transformer::SamplingOptions& options, std::span<const Index> numbers = {},
                      Index batch_tokens = default_search_tokens, Processes& processes = one_process());

/// Draws options.search.n_best translations of each source, in the order drawn. The random numbers of a
/// source depend on the seed and its line number, not on the batch.
std::vector<Translator::Result> sample(Translator& translator, std::vector<Translator::Source> sources,
                                       const transformer::SamplingOptions& options);

}  // namespace regard::translation
