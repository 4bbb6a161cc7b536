#pragma once

#include <string>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "autograd/index.h"

namespace regard::translation {

/// The sentences whose references have shortest .. longest words, and their BLEU as a corpus.
struct LengthBucket {
  Index shortest = 0, longest = 0;
  Index sentences = 0;
  Bleu bleu;

  std::string name() const;  ///< "<10", "10-19", …, ">=50"
};

/// BLEU of short and long sentences: references of less than 10 words, of 10 to 19, …, of 50 and more. Words
/// are what stands between blanks, whatever BLEU's tokeniser. Buckets without a sentence are left out.
std::vector<LengthBucket> bleu_by_length(const std::vector<std::string>& references,
                                         const std::vector<BleuCounts>& counts);

}  // namespace regard::translation
