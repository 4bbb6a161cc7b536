#include "apps/regard/output/scores.h"

#include <charconv>
#include <fmt/format.h>
#include <system_error>

#include "apps/translation/files/warning.h"
#include "apps/translation/metrics/bleu.h"
#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/translator/alignment.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using translation::AlignmentCounts;
using translation::BleuCounts;
using translation::ChrfCounts;
using translation::ParallelCorpus;
using translation::ParallelText;

template <class Counts>
Counts sum(const std::vector<Counts>& counts) {
  Counts result;
  for (const Counts& of_sentence : counts) result += of_sentence;
  return result;
}

double bleu_score(const BleuCounts& counts) { return bleu(counts).score; }

}  // namespace

Scored::Scored(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
               const translation::BleuOptions& options)
    : bleu(translation::bleu_counts(hypotheses, references, options)),
      chrf(translation::chrf_counts(hypotheses, references, {.lowercase = options.lowercase})) {}

translation::Bleu Scored::corpus_bleu() const { return translation::bleu(sum(bleu)); }

double Scored::corpus_chrf() const { return translation::chrf(sum(chrf)); }

void check_tokeniser(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                     const translation::BleuOptions& options) {
  const std::string name = name_of(translation::bleu_tokenisers, options.tokeniser);
  if (lacks_blanks(references, options))
    translation::remark(
        "the references have no blanks between their words, so BLEU with --tokeniser {} compares whole "
        "phrases and says little; give --tokeniser char",
        name);
  if (looks_tokenised(hypotheses, options))
    translation::remark(
        "at least 100 translations end in \" .\", so they seem to be tokenised, but --tokeniser {} is for "
        "plain text; score plain text, or give --tokeniser none if both sides are tokenised alike",
        name);
}

Comparison::Comparison(const Scored& output, const Scored& baseline,
                       const translation::BootstrapSettings& of_bootstrap)
    : settings(of_bootstrap),
      bleu(paired_bootstrap(output.bleu.size(), sample_score(output.bleu, bleu_score),
                            sample_score(baseline.bleu, bleu_score), settings)),
      chrf(paired_bootstrap(output.chrf.size(), sample_score(output.chrf, translation::chrf),
                            sample_score(baseline.chrf, translation::chrf), settings)) {}

std::vector<Index> read_length_bounds(const std::string& text) {
  std::vector<Index> bounds;
  const char *next = text.data(), *const end = next + text.size();
  while (true) {
    Index bound = 0;
    const auto [stop, error] = std::from_chars(next, end, bound);
    if (error != std::errc() || bound <= (bounds.empty() ? 0 : bounds.back())) break;
    bounds.push_back(bound);
    if (stop == end) return bounds;
    if (*stop != ',') break;
    next = stop + 1;
  }
  fail("--length-bounds {}: give whole numbers of at least 1 that increase, such as 10,20,30", text);
}

namespace {

/// Reads one entry per line of the text, nothing if the path is empty, and checks each.
template <class Read, class Check>
auto read_checked(const std::string& path, const Read& read, const Check& check, const ParallelText& text,
                  const std::string& text_path) {
  if (path.empty()) return decltype(read(path))();
  const auto gold = read(path);
  translation::check_line_counts(path, gold.size(), text_path, text.target.size());
  for (std::size_t line = 0; line < gold.size(); ++line)
    check(gold[line], line, fmt::format("{}, line {}", path, line + 1));
  return gold;
}

}  // namespace

std::vector<translation::GoldAlignment> read_gold_alignments(const std::string& path,
                                                             const translation::Tokeniser& tokeniser,
                                                             const ParallelText& text,
                                                             const std::string& text_path) {
  const auto check = [&](const translation::GoldAlignment& gold, std::size_t line, const std::string& place) {
    check_positions(gold, to_index(tokeniser.split(text.source[line]).size()),
                    to_index(tokeniser.split_target(text.target[line]).size()), place);
  };
  return read_checked(path, translation::read_gold, check, text, text_path);
}

std::vector<translation::ImageRegions> read_gold_regions(const std::string& path,
                                                         const translation::Tokeniser& tokeniser,
                                                         const ParallelText& text,
                                                         const std::string& text_path) {
  const auto check = [&](const translation::ImageRegions& gold, std::size_t line, const std::string& place) {
    check_words(gold, tokeniser.split_target(text.target[line]), place);
  };
  return read_checked(path, translation::read_regions, check, text, text_path);
}

AlignmentCounts compare_alignments(translation::TranslationModel& model, const ParallelCorpus& pairs,
                                   const std::vector<translation::GoldAlignment>& gold) {
  AlignmentCounts counts;
  const std::vector<translation::Alignment> found = align_all(model.model, pairs);
  for (std::size_t pair = 0; pair < found.size(); ++pair)
    counts += alignment_counts(found[pair], gold[to_size(pairs.lines[pair])]);
  return counts;
}

}  // namespace regard::program
