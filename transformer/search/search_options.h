#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "autograd/machine/real.h"

// The options of a search: beam, length penalty, constraints.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Divisor of the log-probability, so that long translations can compete with short ones.
enum class LengthPenalty {
  wu,    ///< ((5 + n) / 6)^alpha for n tokens, </s> counted; Wu et al. 2016, eq. 14
  power  ///< n^alpha for n tokens, </s> counted; as in fairseq and Marian
};

/// A constraint of a caller on the translations of one sentence. Several threads may call it at the same
/// time.
class TokenRule {
 public:
  virtual ~TokenRule() = default;

  /// Sets the logits of tokens that this sentence does not have to never_predicted
  /// (transformer/embeddings.h), before the softmax: the probabilities of the others add up to 1.
  virtual void exclude(std::span<Real> /*logits*/) const {}

  /// False if `next`, which may be </s>, must not follow the `tokens` of an unfinished translation. A search
  /// asks this only of the tokens that it would take.
  virtual bool allows(std::span<const std::int32_t> /*tokens*/, std::int32_t /*next*/) const { return true; }

  /// The tokens that an unfinished translation still needs. When a search takes </s>, or when the greatest
  /// length leaves just enough room for them, they come in its place, whatever else is forbidden, and then
  /// </s> comes. If there is too little room, the last ones do not come.
  virtual std::vector<std::int32_t> before_end(std::span<const std::int32_t> /*tokens*/) const { return {}; }
  /// The most tokens that before_end() may return after `tokens`, or after these and any one more. When there
  /// is room for no more than these, a search ends the translation.
  virtual Index need(std::span<const std::int32_t> tokens) const { return std::ssize(before_end(tokens)); }

  /// All tokens that before_end() and wanted() may return.
  virtual std::vector<std::int32_t> demands() const { return {}; }

  // A beam search may divide its places among banks (Post and Vilar 2018, section 3): bank b has the
  // hypotheses that fulfil b constraints, and these do not compete with those of bank b + 1, which paid for
  // one more.

  /// The number of banks; 1: all hypotheses compete.
  virtual Index banks() const { return 1; }
  /// The bank of the `tokens` with `next`, which may be </s>: from 0 to banks() - 1.
  virtual Index bank(std::span<const std::int32_t> /*tokens*/, std::int32_t /*next*/) const { return 0; }
  /// Tokens that a search with banks looks at after `tokens`, also if they are improbable.
  virtual std::vector<std::int32_t> wanted(std::span<const std::int32_t> /*tokens*/) const { return {}; }
};

/// Makes the rule for a source, given by its tokens with </s>. Null: no rule.
using MakeTokenRule = std::function<std::shared_ptr<const TokenRule>(std::span<const std::int32_t> source)>;

/// Options of a search. All limits of length count tokens without </s>.
struct SearchOptions {
  Index beam = 4;
  /// Number of translations returned per sentence; at most `beam`.
  Index n_best = 1;
  LengthPenalty length_penalty = LengthPenalty::wu;
  double alpha = 0.6;  ///< 0: scores are log-probabilities
  /// The search of a sentence ends when no unfinished translation can become one of the n best. It ends
  /// earlier when patience * beam translations are finished (Kasai et al. 2022) and no unfinished translation
  /// would be among the n best if it ended now. With 0 it never ends earlier; then it nearly always runs to
  /// the greatest length.
  double patience = 1;
  /// A translation has at most max_length_ratio * source tokens + max_length_constant tokens. At that length
  /// it is forced to end. For an image, the positions of the memory take the place of the source tokens
  /// (Encoder::length). Both 0: there is no such limit.
  double max_length_ratio = 2;
  Index max_length_constant = 10;

  // All of these are off by default. Except max_length, which is a limit like the ratio, they are the
  // constraints of transformer/search/step_loop.h.

  /// </s> cannot come before this many tokens. Takes precedence over the limit of ratio and constant.
  Index min_length = 0;
  /// A further limit that does not depend on the length of the source; 0: none.
  Index max_length = 0;
  /// A translation never repeats an n-gram of this length; 0 allows repetition.
  Index no_repeat_ngram = 0;
  /// Factor on the logits of tokens that the translation already has, which makes them less likely (Keskar et
  /// al. 2019, section 4.1); 1: no penalty.
  double repetition_penalty = 1;
  /// True if a translation may contain <unk>.
  bool generate_unk = true;
  /// A constraint of the caller; empty: none. The greatest length takes precedence over it.
  MakeTokenRule make_rule = {};
};

/// No translation is longer. Every integer type can hold this number.
constexpr Index longest_translation = 1'000'000'000;
/// Greatest absolute value of alpha; scores stay finite.
constexpr double greatest_alpha = 10;
/// Range of the repetition penalty; logits stay finite.
constexpr double least_repetition_penalty = 0.001, greatest_repetition_penalty = 1000;

/// Throws Error that names an option out of its range.
void check(const SearchOptions& options);

/// Divisor of the log-probability of a translation of this many tokens, </s> counted.
double length_penalty(const SearchOptions& options, Index tokens);

/// The greatest length of a translation of a source of `source_tokens` tokens (Encoder::length), </s> not
/// counted on either side: at least 1, and at least min_length.
Index greatest_length(const SearchOptions& options, Index source_tokens);

}}}  // namespace regard::REGARD_PRECISION::transformer
