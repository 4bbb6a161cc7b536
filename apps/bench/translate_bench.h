#pragma once

#include <string>

#include "apps/translation/translator/translator.h"
#include "autograd/index.h"

namespace regard::bench {

struct TranslateBench {
  std::string source;          ///< sentences to translate, one a line
  std::string output;          ///< where to write the translations; empty: nowhere
  bool one_at_a_time = false;  ///< each sentence alone, as somebody who waits for it sees it
  Index runs = 3;
};

/// Translates a file again and again with a model that is loaded already, and prints sentences/s and tokens/s
/// of translation (the median of the runs, after one that is not measured); or, one sentence at a time, the
/// median milliseconds a sentence. Throws Error for a file that cannot be read or translated.
void run(const TranslateBench& bench, translation::Translator& translator,
         const transformer::SearchOptions& options);

}  // namespace regard::bench
