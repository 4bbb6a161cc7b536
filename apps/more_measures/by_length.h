#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/metrics/exact_match.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// The sentences with references of `shortest` to `longest` words, and their scores as a corpus.
struct LengthBucket {
  Index shortest = 0;
  std::optional<Index> longest;  ///< empty: no limit
  Index sentences = 0;
  Bleu bleu;
  std::optional<double> exact_match;

  std::string name() const;  ///< "<10", "10-19", "20", …, ">=50"
};

/// Computes the scores of short and long sentences. Bounds of 10 and 20 make the buckets of fewer than 10
/// words, of 10 to 19, and of 20 and more. Words of the references are separated by blanks; with the
/// tokenisers `character` and `chinese`, they are those of BLEU. Buckets without a sentence are left out. The
/// bounds must increase and be at least 1.
std::vector<LengthBucket> scores_by_length(const std::vector<std::string>& references,
                                           const std::vector<BleuCounts>& counts, const ExactMatches& exact,
                                           const std::vector<Index>& bounds,
                                           BleuTokeniser tokeniser = BleuTokeniser::none);

}  // namespace regard::translation
