#include "apps/more_measures/ter.h"
#include "apps/regard/measure.h"

namespace regard::program {

namespace {

class TerMeasure : public Measure {
  void add_options(const Command& every, const Command&) override {
    every.option("--ter", wanted_, "Also measure TER: the edits that turn a translation into its reference");
    const Command with_ter = every.only_with("--ter");
    with_ter.option("--ter-normalized", options_.normalized, "TER: separate punctuation, as Tercom does");
    with_ter.option("--ter-no-punct", options_.no_punct, "TER: leave out punctuation");
    with_ter.option("--ter-asian-support", options_.asian_support,
                    "TER: with --ter-normalized, each Chinese character is a word; with --ter-no-punct, "
                    "Chinese and Japanese marks are left out, too");
    with_ter.option("--ter-case-sensitive", options_.case_sensitive, "TER: do not compare in lower case");
  }

  void read(const Evaluated&) override {
    if (options_.asian_support && !options_.normalized && !options_.no_punct)
      fail(
          "--ter-asian-support has no effect by itself; give --ter-normalized or --ter-no-punct, too, or "
          "leave "
          "it out");
  }

  Measured of_outputs(const Outputs& outputs) override {
    if (!wanted_) return {};
    translation::TerCounts sum;
    for (const translation::TerCounts& counts : ter_counts(outputs.hypotheses, outputs.references, options_))
      sum += counts;
    const double score = translation::ter(sum);
    const std::string its_signature = signature(options_, outputs.references.size());
    return {.lines = fmt::format("TER             {:.2f}\n  edits         {} ({:.1f} reference words)\n"
                                 "  signature     {}\n",
                                 score, sum.edits, sum.reference_length, its_signature),
            .json = {{"ter",
                      {{"score", score},
                       {"edits", sum.edits},
                       {"reference_words", sum.reference_length},
                       {"signature", its_signature}}}}};
  }

  bool wanted_ = false;
  translation::TerOptions options_;
};

}  // namespace

std::shared_ptr<Measure> make_ter() { return std::make_shared<TerMeasure>(); }

}  // namespace regard::program
