#pragma once

#include <string>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "autograd/real.h"

namespace regard::translation {

/// The sentences with references of `shortest` to `longest` words, and their BLEU as a corpus.
struct LengthBucket {
  Index shortest = 0, longest = 0;
  Index sentences = 0;
  Bleu bleu;

  std::string name() const;  ///< "<10", "10-19", …, ">=50"
};

/// Computes BLEU for short and long sentences: references of fewer than 10 words, of 10 to 19, …, of 50 and
/// more. Here words are separated by blanks, for every tokeniser of BLEU. Buckets without a sentence are left
/// out.
std::vector<LengthBucket> bleu_by_length(const std::vector<std::string>& references,
                                         const std::vector<BleuCounts>& counts);

}  // namespace regard::translation
