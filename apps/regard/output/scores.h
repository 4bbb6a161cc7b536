#pragma once

#include <string>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/metrics/bootstrap.h"
#include "apps/translation/metrics/chrf.h"

namespace regard::program {

/// The counts of translations compared with their references, one entry per sentence.
struct Scored {
  std::vector<translation::BleuCounts> bleu;
  std::vector<translation::ChrfCounts> chrf;

  /// Throws Error unless the numbers of hypotheses and references are equal.
  Scored(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
         const translation::BleuOptions& options);
};

/// Prints BLEU and chrF2 with their signatures, and BLEU for each range of reference lengths.
void print_scores(const Scored& output, const std::vector<std::string>& references,
                  const translation::BleuOptions& options);

/// Prints the scores of the output and the baseline, and a test whether their difference can be chance.
void print_comparison(const Scored& output, const Scored& baseline,
                      const translation::BootstrapSettings& settings);

}  // namespace regard::program
