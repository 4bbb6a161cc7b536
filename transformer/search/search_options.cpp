#include "transformer/search/search_options.h"

#include <algorithm>
#include <cmath>

#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {
void check_constraints(const SearchOptions& options) {
  if (options.min_length < 0 || options.max_length < 0)
    fail("search: min_length {} and max_length {} must not be negative", options.min_length,
         options.max_length);
  if (options.max_length > 0 && options.min_length > options.max_length)
    fail("search: min_length is {}, but max_length is {}", options.min_length, options.max_length);
  if (options.no_repeat_ngram < 0)
    fail("search: no_repeat_ngram is {}; it must not be negative", options.no_repeat_ngram);
  if (options.min_length > longest_translation)
    fail("search: min_length is {}; it must be at most {}", options.min_length, longest_translation);
  if (!(options.repetition_penalty >= least_repetition_penalty &&
        options.repetition_penalty <= greatest_repetition_penalty))
    fail("search: repetition_penalty is {}; it must be from {} to {}", options.repetition_penalty,
         least_repetition_penalty, greatest_repetition_penalty);
}
}  // namespace

void check(const SearchOptions& options) {
  if (options.beam < 1) fail("search: beam is {}; it must be at least 1", options.beam);
  if (options.n_best < 1 || options.n_best > options.beam)
    fail("search: n_best is {}; it must be from 1 to beam, {}", options.n_best, options.beam);
  if (!(options.max_length_ratio >= 0) || options.max_length_constant < 0)
    fail("search: max_length_ratio {} and max_length_constant {} must not be negative",
         options.max_length_ratio, options.max_length_constant);
  if (!(options.patience >= 0)) fail("search: patience is {}; it must not be negative", options.patience);
  if (!(std::abs(options.alpha) <= greatest_alpha))
    fail("search: alpha is {}; it must be from {} to {}", options.alpha, -greatest_alpha, greatest_alpha);
  check_constraints(options);
}

/// ((5 + n) / 6)^alpha or n^alpha, where n counts </s>.
double length_penalty(const SearchOptions& options, Index tokens) {
  const auto n = static_cast<double>(tokens);
  switch (options.length_penalty) {
    case LengthPenalty::wu:
      return std::pow((5 + n) / 6, options.alpha);
    case LengthPenalty::power:
      return std::pow(n, options.alpha);
  }
  fail("search: there is no length penalty {}", static_cast<int>(options.length_penalty));
}

Index greatest_length(const SearchOptions& options, Index source_tokens) {
  const auto longest = static_cast<double>(longest_translation);
  const double absolute = options.max_length > 0 ? static_cast<double>(options.max_length) : longest;
  const bool depends = options.max_length_ratio != 0 || options.max_length_constant != 0;
  const double relative = depends ? options.max_length_ratio * static_cast<double>(source_tokens) +
                                        static_cast<double>(options.max_length_constant)
                                  : longest;
  const double limit = std::min({longest, absolute, relative});
  return std::max(options.min_length, static_cast<Index>(std::max(1.0, limit)));
}

}}}  // namespace regard::REGARD_PRECISION::transformer
