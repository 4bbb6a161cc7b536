#include "apps/regard/output/scores.h"

#include <fmt/ranges.h>

#include "apps/translation/metrics/bleu.h"

namespace regard::program {

namespace {

using translation::BleuCounts;
using translation::ChrfCounts;

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

}  // namespace regard::program
