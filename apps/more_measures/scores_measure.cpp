// chrF2, chrF2++ and TER, and whether their difference from those of a baseline can be chance.
#include <fmt/format.h>
#include <iterator>

#include "apps/more_measures/bootstrap.h"
#include "apps/more_measures/chrf.h"
#include "apps/more_measures/ter.h"
#include "apps/regard/measure.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using translation::Json;
using translation::PairedBootstrap;
using translation::ResampledScore;

std::string row(const std::string& name, const PairedBootstrap& result) {
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

class Scores : public Measure {
  void add_options(const Command& every, const Command&) override {
    every.option("--chrf++", with_words_, "Also measure chrF2++, which counts words, too");
    every.option("--ter", with_ter_,
                 "Also measure TER: the edits that turn a translation into its reference");
    const Command with_ter = every.only_with("--ter");
    with_ter.option("--ter-normalized", ter_.normalized, "TER: separate punctuation, as Tercom does");
    with_ter.option("--ter-no-punct", ter_.no_punct, "TER: leave out punctuation");
    with_ter.option("--ter-asian-support", ter_.asian_support,
                    "TER: with --ter-normalized, each Chinese character is a word; with --ter-no-punct, "
                    "Chinese and Japanese marks are left out, too");
    with_ter.option("--ter-case-sensitive", ter_.case_sensitive, "TER: do not compare in lower case");
    every.option(
        "--baseline", baseline_file_,
        "Other translations, one per line; tests if the difference between the scores is only chance");
    const Command baseline = every.only_with("--baseline");
    baseline.option("--bootstrap-samples", bootstrap_.samples, "Number of random corpora in this test",
                    show_default);
    baseline.option("--seed", bootstrap_.seed, "Another seed draws other corpora", show_default);
  }

  std::string example() const override {
    return "  regard evaluate --hypothesis translation.txt --reference reference.txt --baseline other.txt\n";
  }

  std::vector<std::string> files() const override { return {baseline_file_}; }

  void read(const Evaluated& evaluated) override {
    if (ter_.asian_support && !ter_.normalized && !ter_.no_punct)
      fail("--ter-asian-support has no effect by itself; give --ter-normalized or --ter-no-punct, too");
    if (bootstrap_.samples < 1) fail("--bootstrap-samples {}: give at least 1", bootstrap_.samples);
    if (baseline_file_.empty()) return;
    baseline_ = translation::read_sentences(baseline_file_);
    translation::check_line_counts(baseline_file_, baseline_.size(), evaluated.references_file,
                                   evaluated.text.target.size());
  }

  Measured of_outputs(const Outputs& outputs) override {
    Measured result;
    Json tests;
    const auto bleu = [](const translation::BleuCounts& counts) { return translation::bleu(counts).score; };
    if (!baseline_file_.empty()) {
      tests = {{"samples", bootstrap_.samples}, {"seed", bootstrap_.seed}};
      result.table = fmt::format(
          "\npaired bootstrap: {} samples, seed {}\n{:<8}{:>8}{:>16}{:>12}{:>16}{:>10}{:>11}{:>10}\n",
          bootstrap_.samples, bootstrap_.seed, "", "score", "mean ± 95 %", "baseline", "mean ± 95 %",
          "p-value", "wins", "losses");
      const auto of_baseline = bleu_counts_of_several(baseline_, outputs.references, outputs.options);
      add_test("BLEU", "bleu", outputs.bleu, of_baseline, bleu, result, tests);
    }
    const auto of_chrf = [&](const translation::ChrfOptions& options) {
      return [&, options](const auto& texts) { return chrf_counts(texts, outputs.references, options); };
    };
    const std::size_t references = outputs.references.size();
    translation::ChrfOptions options{.lowercase = outputs.options.lowercase};
    add("chrF2", "chrf2", of_chrf(options), translation::chrf, signature(options, references), outputs,
        result, tests);
    options.words = true;
    if (with_words_)
      add("chrF2++", "chrf2++", of_chrf(options), translation::chrf, signature(options, references), outputs,
          result, tests);
    if (with_ter_)
      add(
          "TER", "ter", [&](const auto& texts) { return ter_counts(texts, outputs.references, ter_); },
          translation::ter, signature(ter_, references), outputs, result, tests);
    if (!baseline_file_.empty()) result.json["paired_bootstrap"] = tests;
    return result;
  }

  /// Adds a score. `counts_of` counts in each of some texts, and `score` is that of summed counts.
  template <class CountsOf, class Score>
  void add(const char* name, const char* key, const CountsOf& counts_of, const Score& score,
           const std::string& its_signature, const Outputs& outputs, Measured& result, Json& tests) const {
    const auto counts = counts_of(outputs.hypotheses);
    auto sum = typename std::decay_t<decltype(counts)>::value_type();
    for (const auto& of_sentence : counts) sum += of_sentence;
    result.lines += fmt::format("{:<16}{:.2f}\n", name, score(sum));
    result.json[key] = {{"score", score(sum)}};
    if constexpr (std::is_same_v<decltype(sum), translation::TerCounts>) {
      result.lines +=
          fmt::format("  edits         {} ({:.1f} reference words)\n", sum.edits, sum.reference_length);
      result.json[key]["edits"] = sum.edits;
      result.json[key]["reference_words"] = sum.reference_length;
    }
    result.lines += fmt::format("  signature     {}\n", its_signature);
    result.json[key]["signature"] = its_signature;
    if (!baseline_file_.empty()) add_test(name, key, counts, counts_of(baseline_), score, result, tests);
  }

  template <class Counts, class Score>
  void add_test(const char* name, const char* key, const std::vector<Counts>& output,
                const std::vector<Counts>& baseline, const Score& score, Measured& result,
                Json& tests) const {
    PairedBootstrap test = paired_bootstrap(output.size(), translation::sample_score(output, score),
                                            translation::sample_score(baseline, score), bootstrap_);
    // Fewer edits are better.
    if (std::is_same_v<Counts, translation::TerCounts>) std::swap(test.system_wins, test.baseline_wins);
    result.table += row(name, test);
    tests[key] = to_json(test);
  }

  bool with_words_ = false, with_ter_ = false;
  translation::TerOptions ter_;
  std::string baseline_file_;
  translation::BootstrapSettings bootstrap_;
  std::vector<std::string> baseline_;  ///< none: no test
};

}  // namespace

std::shared_ptr<Measure> make_scores() { return std::make_shared<Scores>(); }

}  // namespace regard::program
