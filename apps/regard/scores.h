#pragma once

#include <string>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/metrics/bootstrap.h"
#include "apps/translation/metrics/chrf.h"

namespace regard::program {

/// An output against its references, sentence by sentence.
struct Scored {
  std::vector<translation::BleuCounts> bleu;
  std::vector<translation::ChrfCounts> chrf;

  /// Throws Error unless there are as many hypotheses as references.
  Scored(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
         const translation::BleuOptions& options);
};

/// Prints BLEU and chrF2 with their signatures, and BLEU by length of the reference.
void print_scores(const Scored& output, const std::vector<std::string>& references,
                  const translation::BleuOptions& options);

/// Prints how an output does beside another, and whether that can be chance.
void print_comparison(const Scored& output, const Scored& baseline,
                      const translation::BootstrapSettings& settings);

}  // namespace regard::program
