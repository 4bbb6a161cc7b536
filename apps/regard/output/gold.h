#pragma once

#include <string>
#include <vector>

#include "apps/translation/corpus/alignments.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/translator/pointing.h"

namespace regard::program {

// The comparison of a model's attention with gold, for regard evaluate.

using GoldAlignments = std::vector<translation::GoldAlignment>;

/// Throws Error if a gold alignment, from the file `path`, does not fit the tokens of its line.
void check_gold(const GoldAlignments& gold, const translation::Tokeniser& tokeniser,
                const translation::ParallelText& text, const std::string& path);

/// Compares the model's attention with gold alignments, one for each line of the text. Pairs that are left
/// out do not count.
translation::AlignmentCounts compare_alignments(translation::TranslationModel& model,
                                                const translation::ParallelCorpus& pairs,
                                                const GoldAlignments& gold);

void print_alignments(const translation::AlignmentCounts& counts);

/// Reads gold regions, nothing if the path is empty. Throws Error if they do not fit the text, whose
/// references are in `text_path`.
std::vector<translation::ImageRegions> read_gold_regions(const std::string& path,
                                                         const translation::Tokeniser& tokeniser,
                                                         const translation::ParallelText& text,
                                                         const std::string& text_path);

void print_pointing(const translation::PointingCounts& counts);

}  // namespace regard::program
