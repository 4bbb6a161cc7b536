#include "transformer/search/constraints.h"

#include <algorithm>

#include "autograd/checked_cast.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

bool has_constraints(const SearchOptions& options) {
  return options.min_length > 0 || options.no_repeat_ngram > 0 || options.repetition_penalty != 1 ||
         !options.generate_unk;
}

std::vector<std::int32_t> forbidden_after(std::span<const std::int32_t> tokens,
                                          const SearchOptions& options) {
  std::vector<std::int32_t> forbidden;
  forbidden.reserve(2);  // GCC 12 warns wrongly about the first push_back of an empty vector here
  const auto length = to_index(tokens.size());
  if (length < options.min_length) forbidden.push_back(sentence_end_id);
  if (!options.generate_unk) forbidden.push_back(unknown_id);
  if (options.no_repeat_ngram == 0 || options.no_repeat_ngram > length) return forbidden;
  // A repeated n-gram would be the last n-1 tokens and one more. Wherever these n-1 tokens occurred before,
  // the token that followed them must not follow again.
  const auto context = to_size(options.no_repeat_ngram - 1);
  const auto last = tokens.last(context);
  for (std::size_t i = 0; i + context < tokens.size(); ++i)
    if (std::ranges::equal(tokens.subspan(i, context), last)) forbidden.push_back(tokens[i + context]);
  return forbidden;
}

void penalise_repetition(std::span<Real> logits, std::span<const std::int32_t> tokens, double penalty) {
  std::vector<std::int32_t> distinct(tokens.begin(), tokens.end());
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const std::int32_t token : distinct) {
    Real& logit = logits[to_size(token)];
    logit = static_cast<Real>(logit > 0 ? logit / penalty : logit * penalty);
  }
}

std::vector<std::int32_t> constrain(std::span<Real> logits, std::span<const std::int32_t> tokens,
                                    const SearchOptions& options) {
  if (options.repetition_penalty != 1) penalise_repetition(logits, tokens, options.repetition_penalty);
  return forbidden_after(tokens, options);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
