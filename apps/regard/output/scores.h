#pragma once

#include <string>
#include <vector>

#include "apps/translation/corpus/alignments.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/metrics/bleu.h"
#include "apps/translation/metrics/bootstrap.h"
#include "apps/translation/metrics/chrf.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/translator/pointing.h"

// The figures of regard evaluate.

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

// The comparison of a model's attention with gold, for regard evaluate.

/// Reads gold alignments, nothing if the path is empty. Throws Error if they do not fit the text, whose
/// references are in `text_path`.
std::vector<translation::GoldAlignment> read_gold_alignments(const std::string& path,
                                                             const translation::Tokeniser& tokeniser,
                                                             const translation::ParallelText& text,
                                                             const std::string& text_path);

/// Compares the model's attention with gold alignments, one for each line of the text. Pairs that are left
/// out do not count.
translation::AlignmentCounts compare_alignments(translation::TranslationModel& model,
                                                const translation::ParallelCorpus& pairs,
                                                const std::vector<translation::GoldAlignment>& gold);

void print_alignments(const translation::AlignmentCounts& counts);

/// The same for gold regions.
std::vector<translation::ImageRegions> read_gold_regions(const std::string& path,
                                                         const translation::Tokeniser& tokeniser,
                                                         const translation::ParallelText& text,
                                                         const std::string& text_path);

void print_pointing(const translation::PointingCounts& counts);

}  // namespace regard::program
