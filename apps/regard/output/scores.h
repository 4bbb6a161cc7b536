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

// What regard evaluate measures.

namespace regard::program {

/// The counts of translations compared with their references, one entry per sentence.
struct Scored {
  std::vector<translation::BleuCounts> bleu;
  std::vector<translation::ChrfCounts> chrf;

  translation::Bleu corpus_bleu() const;
  double corpus_chrf() const;

  /// Throws Error unless the numbers of hypotheses and references are equal.
  Scored(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
         const translation::BleuOptions& options);
};

/// Warns if the tokeniser of BLEU does not fit the texts.
void check_tokeniser(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                     const translation::BleuOptions& options);

/// A test whether the difference between the scores of the output and of a baseline can be chance.
struct Comparison {
  translation::BootstrapSettings settings;
  translation::PairedBootstrap bleu, chrf;

  Comparison(const Scored& output, const Scored& baseline, const translation::BootstrapSettings& settings);
};

/// Reads bounds such as "10,20,30". Throws Error unless they are whole numbers of at least 1 that increase.
std::vector<Index> read_length_bounds(const std::string& text);

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

/// The same for gold regions.
std::vector<translation::ImageRegions> read_gold_regions(const std::string& path,
                                                         const translation::Tokeniser& tokeniser,
                                                         const translation::ParallelText& text,
                                                         const std::string& text_path);

}  // namespace regard::program
