#pragma once

#include <cstdint>
#include <vector>

#include "transformer/model.h"

namespace regard::inline REGARD_PRECISION::transformer {

/// Ids that mean the same in every vocabulary of ours.
constexpr std::int32_t padding_id = 0, sentence_begin_id = 1, sentence_end_id = 2, unknown_id = 3;

/// What log-probabilities are divided by, so that long translations stand a chance against short ones.
enum class LengthPenalty {
  wu,    ///< ((5 + n) / 6)^alpha, Wu et al. 2016, eq. 14
  power  ///< n^alpha, as in fairseq and Marian
};

struct SearchOptions {
  std::int64_t beam = 4;
  /// How many translations of each sentence are wanted; at most `beam`.
  std::int64_t n_best = 1;
  LengthPenalty length_penalty = LengthPenalty::wu;
  double alpha = 0.6;  ///< 0: scores are log-probabilities
  /// The search of a sentence ends when no unfinished translation can still be among the n best; or before
  /// that, when patience * beam translations are finished (Kasai et al. 2022) and no unfinished one is ahead
  /// of the n best at its present length. 0: only the former, which takes up to max_length steps.
  double patience = 1;
  /// A translation has at most max_length_ratio * source tokens + max_length_constant tokens; it is made to
  /// end there.
  double max_length_ratio = 2;
  std::int64_t max_length_constant = 10;
};

/// Throws Error naming the option that makes no search.
void check(const SearchOptions& options);

struct Hypothesis {
  std::vector<std::int32_t> tokens;  ///< without <s> and </s>
  double log_probability = 0;        ///< of the tokens and </s>
  double score = 0;                  ///< log_probability / length penalty of n tokens, </s> counted
};

/// The n best translations of each sentence, best first. Each source sentence ends with </s>.
/// <pad> and <s> are never produced. The model must be in evaluation mode, or dropout makes the search
/// random. Throws Error for options that make no search.
std::vector<std::vector<Hypothesis>> beam_search(Transformer& model, const PackedSequences& source,
                                                 const SearchOptions& options = {});

/// The translation that takes the likeliest token at each step; `beam` and `n_best` are not looked at. Throws
/// Error for options that make no search.
std::vector<Hypothesis> greedy_search(Transformer& model, const PackedSequences& source,
                                      const SearchOptions& options = {});

}  // namespace regard::inline REGARD_PRECISION::transformer
