#include "apps/regard/output/scores.h"

#include <fmt/ranges.h>
#include <optional>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/translator/alignment.h"
#include "autograd/error.h"

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

void print_comparison_row(const char* name, const translation::PairedBootstrap& result) {
  const auto interval = [](const translation::ResampledScore& score) {
    return fmt::format("{:.2f} ± {:.2f}", score.mean, score.half_width);
  };
  fmt::print("{:<8}{:>8.2f}{:>16}{:>12.2f}{:>16}{:>10.4f}{:>9.1f} %{:>8.1f} %\n", name, result.system.score,
             interval(result.system), result.baseline.score, interval(result.baseline), result.p_value,
             100 * result.system_wins, 100 * result.baseline_wins);
}

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

Scored::Scored(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
               const translation::BleuOptions& options)
    : bleu(translation::bleu_counts(hypotheses, references, options)),
      chrf(translation::chrf_counts(hypotheses, references, {.lowercase = options.lowercase})) {}

void print_scores(const Scored& output, const std::vector<std::string>& references,
                  const translation::BleuOptions& options) {
  const translation::Bleu bleu = translation::bleu(sum(output.bleu));
  fmt::print("BLEU            {:.2f}\n", bleu.score);
  fmt::print("  precisions    {:.1f}\n", fmt::join(bleu.precisions, " / "));
  fmt::print("  brevity       {:.3f} ({} words, the references have {})\n", bleu.brevity_penalty,
             bleu.hypothesis_length, bleu.reference_length);
  fmt::print("  signature     {}\n", signature(options));
  fmt::print("chrF2           {:.2f}\n", chrf(sum(output.chrf)));
  fmt::print("  signature     {}\n", signature(translation::ChrfOptions{.lowercase = options.lowercase}));
  fmt::print("\n{:<16}{:>10}{:>8}\n", "reference words", "sentences", "BLEU");
  for (const translation::LengthBucket& bucket : bleu_by_length(references, output.bleu))
    fmt::print("{:<16}{:>10}{:>8.2f}\n", bucket.name(), bucket.sentences, bucket.bleu.score);
}

void print_comparison(const Scored& output, const Scored& baseline,
                      const translation::BootstrapSettings& settings) {
  using translation::sample_score;
  fmt::print("\npaired bootstrap: {} samples, seed {}\n", settings.samples, settings.seed);
  fmt::print("{:<8}{:>8}{:>16}{:>12}{:>16}{:>10}{:>11}{:>10}\n", "", "score", "mean ± 95 %", "baseline",
             "mean ± 95 %", "p-value", "wins", "losses");
  print_comparison_row("BLEU", paired_bootstrap(output.bleu.size(), sample_score(output.bleu, bleu_score),
                                                sample_score(baseline.bleu, bleu_score), settings));
  print_comparison_row("chrF2",
                       paired_bootstrap(output.chrf.size(), sample_score(output.chrf, translation::chrf),
                                        sample_score(baseline.chrf, translation::chrf), settings));
}

std::vector<translation::GoldAlignment> read_gold_alignments(const std::string& path,
                                                             const translation::Tokeniser& tokeniser,
                                                             const ParallelText& text,
                                                             const std::string& text_path) {
  const auto check = [&](const translation::GoldAlignment& gold, std::size_t line, const std::string& place) {
    check_positions(gold, to_index(tokeniser.split(text.source[line]).size()),
                    to_index(tokeniser.split(text.target[line]).size()), place);
  };
  return read_checked(path, translation::read_gold, check, text, text_path);
}

std::vector<translation::ImageRegions> read_gold_regions(const std::string& path,
                                                         const translation::Tokeniser& tokeniser,
                                                         const ParallelText& text,
                                                         const std::string& text_path) {
  const auto check = [&](const translation::ImageRegions& gold, std::size_t line, const std::string& place) {
    check_words(gold, tokeniser.split(text.target[line]), place);
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

void print_pointing(const translation::PointingCounts& counts) {
  if (counts.words == 0) return fmt::print("pointing        no word has a region\n");
  const auto words = static_cast<double>(counts.words);
  fmt::print("pointing        {:.2f} % ({} of {} words; a random position: {:.2f} %)\n",
             100 * static_cast<double>(counts.hits) / words, counts.hits, counts.words,
             100 * counts.expected_hits / words);
}

}  // namespace regard::program
