#pragma once

#include <string>
#include <vector>

#include "apps/translation/translator/translator.h"
#include "autograd/machine/real.h"

namespace regard::bench {

struct TranslateBench {
  std::string source;          ///< sentences to translate, one per line
  bool one_at_a_time = false;  ///< each sentence alone, to measure how long a user waits
  Index runs = 3;
};

/// Translates a file several times with a loaded model. A first run is not measured. Prints the median of the
/// runs in sentences/s and tokens/s of translation; or, for one sentence at a time, the median milliseconds
/// per sentence. Returns the translations. Throws Error for a file that cannot be read or translated.
std::vector<std::string> run(const TranslateBench& bench, translation::Translator& translator,
                             const transformer::SearchOptions& options);

}  // namespace regard::bench
