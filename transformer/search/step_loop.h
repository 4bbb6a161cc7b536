#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "autograd/machine/real.h"
#include "transformer/encoder_decoder.h"
#include "transformer/search/search.h"
#include "transformer/search/search_options.h"

// For searches of your own: the loop over steps, and the tokens that may come next.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

// Constraints on the next token of an unfinished translation, for greedy search, beam search and sampling.

/// The tokens that must not come after `tokens`: </s> before min_length, <unk> without generate_unk, and
/// every token that would complete an n-gram that `tokens` already has. The list may hold a token more than
/// once.
std::vector<std::int32_t> forbidden_after(std::span<const std::int32_t> tokens, const SearchOptions& options);

/// Makes every token that is among `tokens` less likely, each of them once: logits above 0 are divided by
/// `penalty`, others are multiplied by it. (Keskar et al. 2019 divide all, which raises a logit below 0.)
void penalise_repetition(std::span<Real> logits, std::span<const std::int32_t> tokens, double penalty);

/// The rule of the caller for a sentence of the source; null if there is none.
std::shared_ptr<const TokenRule> rule_for(const Source& source, Index sentence, const SearchOptions& options);

// The loop that greedy search, beam search and sampling share: the decoder reads the newest token of every
// unfinished translation, and the method of search chooses from the logits how each goes on.

struct Extension;

/// An unfinished translation.
struct Unfinished {
  Index sentence;
  Index sample = 0;       ///< its number among the samples of its sentence; for sampling
  Index greatest_length;  ///< tokens after which it has to end
  std::vector<std::int32_t> tokens = {};
  std::vector<std::int32_t> due = {};  ///< the tokens that have to come next
  double log_probability = 0;          ///< of the tokens
  double rank = 0;  ///< its log-probability; while tokens of a rule are due, with </s> in their place

  Index length() const { return to_index(tokens.size()); }                       ///< tokens so far
  Index room() const { return std::max<Index>(greatest_length - length(), 0); }  ///< for more tokens
  Unfinished extended(const Extension& extension) const;  ///< this one with one more token
};

/// One more token after an unfinished translation.
struct Extension {
  std::size_t parent;  ///< row of the unfinished translation
  std::int32_t token;
  double log_probability;              ///< of the translation with this token
  double rank;                         ///< as in Unfinished
  std::vector<std::int32_t> due = {};  ///< the tokens that have to come after this one
};

/// The tokens that may follow an unfinished translation.
struct Allowed {
  std::span<const Real> logits;
  const Unfinished& unfinished;
  const TokenRule* rule;                     ///< null: none
  std::vector<std::int32_t> forbidden = {};  ///< by the options, sorted
  std::optional<std::int32_t> only = {};     ///< the only one, whatever is forbidden

  /// False also for <pad>, for <s>, and for tokens that never come (never_predicted).
  bool allows(std::int32_t token) const;
  /// The tokens that the rule wants in place of </s>, if there is room for them.
  std::vector<std::int32_t> before_end() const;
  /// The translation, in this row, with one more token: this one or, instead of </s>, the first that the rule
  /// wants before it. Its rank is then the log-probability with </s>. `log_sum_exp` is that of the logits.
  Extension extension(std::size_t row, std::int32_t token, double log_sum_exp) const;
};

/// All constraints on the token after a translation, also those of the rule unless it is null. Applies the
/// repetition penalty and TokenRule::exclude to the logits, in place. The logits of forbidden tokens stay, so
/// that scores remain log-probabilities of the model; the searches leave these tokens out, and take </s> if
/// no token is left. The arguments must outlive the result.
Allowed allowed_after(std::span<Real> logits, const Unfinished& unfinished, const SearchOptions& options,
                      const TokenRule* rule);

/// The logits of the token that follows each unfinished translation, one row each. The repetition penalty is
/// applied already.
struct NextLogits {
  Tensor logits;
  std::vector<Allowed> allowed;  ///< after each of them
};

/// Chooses one more token for each translation that goes on, and returns these extensions, grouped by
/// sentence in ascending order. The function itself stores the translations that end with </s>.
using ChooseExtensions =
    std::function<std::vector<Extension>(const NextLogits& next, const std::vector<Unfinished>& unfinished)>;

/// Runs until no translation is unfinished. It begins with `unfinished`: one or several translations of each
/// sentence, sentences ascending. Throws Error if the target vocabulary has no </s>.
void run_steps(EncoderDecoder& model, const Source& source, std::vector<Unfinished> unfinished,
               const SearchOptions& constraints, const ChooseExtensions& choose);

/// The finished translation: `unfinished` and </s>, which together have this log-probability.
Hypothesis finished(const Unfinished& unfinished, double log_probability, const SearchOptions& options);

}}}  // namespace regard::REGARD_PRECISION::transformer
