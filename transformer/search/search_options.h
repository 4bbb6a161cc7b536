#pragma once

#include <cstdint>

#include "autograd/index.h"
#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Ids that mean the same in every vocabulary of ours.
constexpr std::int32_t padding_id = 0, sentence_begin_id = 1, sentence_end_id = 2, unknown_id = 3;

/// What log-probabilities are divided by, so that long translations stand a chance against short ones.
enum class LengthPenalty {
  wu,    ///< ((5 + n) / 6)^alpha, Wu et al. 2016, eq. 14
  power  ///< n^alpha, as in fairseq and Marian
};

/// How to look for translations. Lengths are in tokens, </s> not counted.
struct SearchOptions {
  Index beam = 4;
  /// How many translations of each sentence are wanted; at most `beam`.
  Index n_best = 1;
  LengthPenalty length_penalty = LengthPenalty::wu;
  double alpha = 0.6;  ///< 0: scores are log-probabilities
  /// The search of a sentence ends when no unfinished translation can still be among the n best; or before
  /// that, when patience * beam translations are finished (Kasai et al. 2022) and no unfinished one is ahead
  /// of the n best at its present length. 0: only the former, which takes up to max_length steps.
  double patience = 1;
  /// A translation has at most max_length_ratio * source tokens + max_length_constant tokens; it is made to
  /// end there.
  double max_length_ratio = 2;
  Index max_length_constant = 10;

  // Constraints (transformer/search/constraints.h). All are off at first, and then cost nothing; but
  // max_length is one more comparison in any case.

  /// </s> cannot come before so many tokens. Goes before the limit of ratio and constant.
  Index min_length = 0;
  /// One more limit, whatever the length of the source; 0: none.
  Index max_length = 0;
  /// No sequence of so many tokens comes twice in a translation; 0: any may.
  Index no_repeat_ngram = 0;
  /// Tokens that a translation has already become less likely in it, by this factor on their logits
  /// (Keskar et al. 2019, section 4.1); 1: they do not.
  double repetition_penalty = 1;
  /// Whether <unk> may be part of a translation.
  bool generate_unk = true;
};

/// No translation is longer: far beyond any, and any integer type can hold it.
constexpr Index longest_translation = 1'000'000'000;
/// Exponents of the length penalty, on either side of 0, that leave scores finite numbers.
constexpr double greatest_alpha = 10;
/// Factors on logits that leave them finite numbers.
constexpr double least_repetition_penalty = 0.001, greatest_repetition_penalty = 1000;

/// Throws Error naming the option that makes no search.
void check(const SearchOptions& options);

/// Throws Error if a target vocabulary of this size has no </s>.
void check_target_vocabulary(Index size);

/// What the log-probability of a translation of `tokens` tokens, here with </s>, is divided by.
double length_penalty(const SearchOptions& options, Index tokens);

/// The most tokens that a translation of `source_tokens` tokens may have: at least 1, and min_length.
Index greatest_length(const SearchOptions& options, Index source_tokens);

}}}  // namespace regard::REGARD_PRECISION::transformer
