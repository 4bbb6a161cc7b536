#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/processes/processes.h"
#include "apps/translation/search/vocabulary_selection.h"
#include "autograd/machine/real.h"
#include "transformer/search/search.h"
#include "transformer/teacher_forcing.h"

namespace regard::translation {

/// Throws Error if the beam is wider than the target vocabulary. The message calls the beam `name`.
void check_beam(const char* name, Index beam, Index vocabulary);
/// The same, and as the selection does (VocabularySelection).
void check_beam(const char* name, Index beam, const Searched& with);

/// Source tokens that are searched together by default, with a beam of at most 8.
constexpr Index default_search_tokens = 1024;

/// Searches the translations of tokenised sentences (without </s>) in batches of similar length. A batch has
/// at most `batch_tokens` source tokens; a longer sentence is a batch alone. The memory grows with the number
/// of hypotheses, so a beam of more than 8 makes the batches smaller by the factor 8 / beam. Several
/// processes divide the batches; the results have the same bits. Every translation begins
/// with `prefix` (beam_search).
Hypotheses search_all(const Searched& with, const std::vector<std::vector<std::int32_t>>& sources,
                      const transformer::SearchOptions& options, Index batch_tokens = default_search_tokens,
                      Processes& processes = one_process(), const transformer::Prefix& prefix = {});

/// Searches the translations of one sentence with beam_search, and records the search in `tree`.
std::vector<transformer::Hypothesis> recorded_search(const Searched& with,
                                                     const std::vector<std::int32_t>& source,
                                                     const transformer::SearchOptions& options,
                                                     const transformer::Prefix& prefix,
                                                     transformer::SearchTree& tree);

/// The two parts of search_all, for a search of another kind.
///
/// Calls find(batch, which) for batches of similar length, each of at most `batch_tokens` source tokens or of
/// one sentence. `which` has the positions of its sentences. The processes are as in search_all.
using FindBatch =
    std::function<Hypotheses(const transformer::PackedSequences& batch, std::span<const std::size_t> which)>;
Hypotheses in_batches(const transformer::Encoder& encoder,
                      const std::vector<std::vector<std::int32_t>>& sources, Index batch_tokens,
                      Processes& processes, const FindBatch& find);

/// The hypotheses of search(model, options, prefix) for the sentences of a batch, with the tokens of the
/// selection alone, if there is one. `trees`: those that `search` records; null: none.
Hypotheses search_with(const Searched& with, const transformer::PackedSequences& batch,
                       const transformer::SearchOptions& options, const transformer::Prefix& prefix,
                       const SearchBatch& search, std::vector<transformer::SearchTree>* trees = nullptr);

/// True if a translation has the greatest length for its source (greatest_length), where a search has to end
/// it, whether it is complete or not.
bool reached_limit(const transformer::Encoder& encoder, const std::vector<std::int32_t>& source,
                   const transformer::SearchOptions& options, const std::vector<std::int32_t>& translation);

/// Scores all pairs of a corpus in batches of similar length. Returns the scores in the order of the corpus.
/// The model must be in evaluation mode.
std::vector<transformer::ForcedScore> score_all(transformer::EncoderDecoder& model,
                                                const ParallelCorpus& corpus);

}  // namespace regard::translation
