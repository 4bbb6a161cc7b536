#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/processes/processes.h"
#include "apps/translation/shortlist/shortlisted_model.h"
#include "autograd/machine/real.h"
#include "transformer/search/exact_search.h"
#include "transformer/search/sampling.h"
#include "transformer/search/search.h"
#include "transformer/teacher_forcing.h"

namespace regard::translation {

/// Throws Error if the beam is wider than the target vocabulary. The message calls the beam `name`.
void check_beam(const char* name, Index beam, Index vocabulary);
/// The same, and if it is wider than the shortlist of some sentence may be.
void check_beam(const char* name, Index beam, const Searched& with);

/// Source tokens that are searched together by default, with a beam of at most 8.
constexpr Index default_search_tokens = 1024;

/// Searches the translations of tokenised sentences (without </s>) in batches of similar length. A batch has
/// at most `batch_tokens` source tokens; a longer sentence is a batch alone. The memory grows with the number
/// of hypotheses, so a beam of more than 8 makes the batches smaller by the factor 8 / beam. Several
/// processes divide the batches; the results have the same bits. Every translation begins
/// with `prefix` (beam_search).
std::vector<std::vector<transformer::Hypothesis>> search_all(
    const Searched& with, const std::vector<std::vector<std::int32_t>>& sources,
    const transformer::SearchOptions& options, Index batch_tokens = default_search_tokens,
    Processes& processes = one_process(), const transformer::Prefix& prefix = {});

/// Searches the translations of one sentence with beam_search, and records the search in `tree`.
std::vector<transformer::Hypothesis> recorded_search(const Searched& with,
                                                     const std::vector<std::int32_t>& source,
                                                     const transformer::SearchOptions& options,
                                                     const transformer::Prefix& prefix,
                                                     transformer::SearchTree& tree);

/// Draws samples of each sentence (transformer/search/sampling.h) in batches of similar length. With n
/// samples per sentence, a batch has at most `batch_tokens` / n source tokens. At most 1,024 samples of a
/// sentence are drawn at the same time. `numbers` are the numbers of the sentences; empty: 0, 1, 2, …
/// The processes are as in search_all.
std::vector<std::vector<transformer::Hypothesis>> sample_all(
    const Searched& with, const std::vector<std::vector<std::int32_t>>& sources,
    const transformer::SamplingOptions& options, std::span<const Index> numbers = {},
    Index batch_tokens = default_search_tokens, Processes& processes = one_process());

/// Searches the most probable translation of each sentence, one sentence after another. The processes are
/// as in search_all.
std::vector<transformer::ExactResult> exact_all(const Searched& with,
                                                const std::vector<std::vector<std::int32_t>>& sources,
                                                const transformer::ExactOptions& options,
                                                Processes& processes = one_process());

/// True if a translation has the greatest length for its source (greatest_length), where a search has to end
/// it, whether it is complete or not.
bool reached_limit(const transformer::Encoder& encoder, const std::vector<std::int32_t>& source,
                   const transformer::SearchOptions& options, const std::vector<std::int32_t>& translation);

/// Scores all pairs of a corpus in batches of similar length. Returns the scores in the order of the corpus.
/// The model must be in evaluation mode.
std::vector<transformer::ForcedScore> score_all(transformer::EncoderDecoder& model,
                                                const ParallelCorpus& corpus);

}  // namespace regard::translation
