#pragma once

#include "apps/translation/metrics/chrf.h"

namespace regard::tests {

/// chrF2 of a corpus.
inline double corpus_chrf(const std::vector<std::string>& hypotheses,
                          const std::vector<std::string>& references,
                          const translation::ChrfOptions& options = {}) {
  translation::ChrfCounts sum;
  for (const translation::ChrfCounts& counts : chrf_counts(hypotheses, references, options)) sum += counts;
  return chrf(sum);
}

}  // namespace regard::tests
