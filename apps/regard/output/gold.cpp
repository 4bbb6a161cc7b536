#include "apps/regard/output/gold.h"

#include <fmt/format.h>
#include <optional>

#include "apps/translation/translator/alignment.h"
#include "autograd/error.h"

namespace regard::program {

using translation::AlignmentCounts;
using translation::ParallelCorpus;
using translation::ParallelText;

void check_gold(const GoldAlignments& gold, const translation::Tokeniser& tokeniser, const ParallelText& text,
                const std::string& path) {
  for (std::size_t line = 0; line < gold.size(); ++line)
    check_positions(gold[line], to_index(tokeniser.split(text.source[line]).size()),
                    to_index(tokeniser.split(text.target[line]).size()),
                    fmt::format("{}, line {}", path, line + 1));
}

AlignmentCounts compare_alignments(translation::TranslationModel& model, const ParallelCorpus& pairs,
                                   const GoldAlignments& gold) {
  AlignmentCounts counts;
  const std::vector<translation::Alignment> found = align_all(model.model, pairs);
  for (std::size_t pair = 0; pair < found.size(); ++pair)
    counts += alignment_counts(found[pair], gold[to_size(pairs.lines[pair])]);
  return counts;
}

void print_alignments(const AlignmentCounts& counts) {
  const auto percent = [](const std::optional<double>& share, const char* otherwise) {
    return share ? fmt::format("{:.2f} %", 100 * *share) : otherwise;
  };
  const translation::AlignmentQuality quality = alignment_quality(counts);
  fmt::print("AER             {}\n", percent(quality.error_rate, "there are no links"));
  fmt::print("  precision     {} ({} links of the model)\n", percent(quality.precision, "none"),
             counts.links);
  fmt::print("  recall        {} ({} sure links of the gold alignments)\n", percent(quality.recall, "none"),
             counts.sure);
}

std::vector<translation::ImageRegions> read_gold_regions(const std::string& path,
                                                         const translation::Tokeniser& tokeniser,
                                                         const ParallelText& text,
                                                         const std::string& text_path) {
  if (path.empty()) return {};
  const std::vector<translation::ImageRegions> regions = translation::read_regions(path);
  translation::check_line_counts(path, regions.size(), text_path, text.target.size());
  for (std::size_t line = 0; line < regions.size(); ++line)
    check_words(regions[line], tokeniser.split(text.target[line]),
                fmt::format("{}, line {}", path, line + 1));
  return regions;
}

void print_pointing(const translation::PointingCounts& counts) {
  if (counts.words == 0) return fmt::print("pointing        no word has a region\n");
  const auto words = static_cast<double>(counts.words);
  fmt::print("pointing        {:.2f} % ({} of {} words; a random position: {:.2f} %)\n",
             100 * static_cast<double>(counts.hits) / words, counts.hits, counts.words,
             100 * counts.expected_hits / words);
}

}  // namespace regard::program
