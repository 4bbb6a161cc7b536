#include "apps/translation/metrics/exact_match.h"

#include <algorithm>

#include "apps/translation/metrics/bleu_tokenisers.h"

namespace regard::translation {

ExactMatches exact_matches(const std::vector<std::string>& hypotheses,
                           const std::vector<std::string>& references, const BleuOptions& options) {
  const BleuOptions at_blanks{.tokeniser = BleuTokeniser::none, .lowercase = options.lowercase};
  ExactMatches exact;
  for (std::size_t i = 0; i < references.size(); ++i)
    exact.push_back(words_for_bleu(hypotheses.at(i), at_blanks) == words_for_bleu(references[i], at_blanks));
  return exact;
}

std::optional<double> exact_match(const ExactMatches& exact) {
  const auto all = std::ranges::count_if(exact, [](const std::optional<bool>& of) { return of.has_value(); });
  if (all == 0) return {};
  return static_cast<double>(std::ranges::count(exact, std::optional(true))) / static_cast<double>(all);
}

}  // namespace regard::translation
