#include <iterator>

#include "apps/more_measures/bootstrap.h"
#include "apps/more_measures/chrf.h"
#include "apps/regard/measure.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using translation::Json;
using translation::PairedBootstrap;
using translation::ResampledScore;

std::string row(const char* name, const PairedBootstrap& result) {
  const auto interval = [](const ResampledScore& score) {
    return fmt::format("{:.2f} ± {:.2f}", score.mean, score.half_width);
  };
  return fmt::format("{:<8}{:>8.2f}{:>16}{:>12.2f}{:>16}{:>10.4f}{:>9.1f} %{:>8.1f} %\n", name,
                     result.system.score, interval(result.system), result.baseline.score,
                     interval(result.baseline), result.p_value, 100 * result.system_wins,
                     100 * result.baseline_wins);
}

Json to_json(const PairedBootstrap& result) {
  const auto score = [](const ResampledScore& of) {
    return Json{{"score", of.score}, {"mean", of.mean}, {"half_width", of.half_width}};
  };
  return {{"output", score(result.system)},
          {"baseline", score(result.baseline)},
          {"p_value", result.p_value},
          {"wins", result.system_wins},
          {"losses", result.baseline_wins}};
}

/// Tests whether the difference between the scores of the output and of a baseline can be chance.
class Bootstrap : public Measure {
  void add_options(const Command& every, const Command&) override {
    every.option(
        "--baseline", path_,
        "Other translations, one per line; tests if the difference between the scores is only chance");
    const Command baseline = every.only_with("--baseline");
    baseline.option("--bootstrap-samples", settings_.samples, "Number of random corpora in this test",
                    show_default);
    baseline.option("--seed", settings_.seed, "Another seed draws other corpora", show_default);
  }

  std::string example() const override {
    return "  regard evaluate --hypothesis translation.txt --reference reference.txt --baseline other.txt\n";
  }

  std::vector<std::string> files() const override { return {path_}; }

  void read(const Evaluated& evaluated) override {
    if (settings_.samples < 1) fail("--bootstrap-samples {}: give at least 1", settings_.samples);
    if (path_.empty()) return;
    baseline_ = translation::read_sentences(path_);
    translation::check_line_counts(path_, baseline_.size(), evaluated.references_file,
                                   evaluated.text.target.size());
  }

  Measured of_outputs(const Outputs& outputs) override {
    if (path_.empty()) return {};
    const translation::ChrfOptions of_chrf{.lowercase = outputs.options.lowercase};
    const PairedBootstrap bleu =
        compare(outputs.bleu, bleu_counts_of_several(baseline_, outputs.references, outputs.options),
                [](const translation::BleuCounts& counts) { return translation::bleu(counts).score; });
    const PairedBootstrap chrf =
        compare(chrf_counts_of_several(outputs.hypotheses, outputs.references, of_chrf),
                chrf_counts_of_several(baseline_, outputs.references, of_chrf), translation::chrf);
    Measured result{
        .table = fmt::format("\npaired bootstrap: {} samples, seed {}\n", settings_.samples, settings_.seed),
        .json = {{"paired_bootstrap",
                  {{"samples", settings_.samples},
                   {"seed", settings_.seed},
                   {"bleu", to_json(bleu)},
                   {"chrf2", to_json(chrf)}}}}};
    fmt::format_to(std::back_inserter(result.table), "{:<8}{:>8}{:>16}{:>12}{:>16}{:>10}{:>11}{:>10}\n", "",
                   "score", "mean ± 95 %", "baseline", "mean ± 95 %", "p-value", "wins", "losses");
    result.table += row("BLEU", bleu) + row("chrF2", chrf);
    return result;
  }

  template <class Counts, class Score>
  PairedBootstrap compare(const std::vector<Counts>& output, const std::vector<Counts>& baseline,
                          Score score) const {
    return paired_bootstrap(output.size(), translation::sample_score(output, score),
                            translation::sample_score(baseline, score), settings_);
  }

  std::string path_;
  translation::BootstrapSettings settings_;
  std::vector<std::string> baseline_;
};

}  // namespace

std::shared_ptr<Measure> make_bootstrap() { return std::make_shared<Bootstrap>(); }

}  // namespace regard::program
