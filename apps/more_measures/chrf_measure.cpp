#include "apps/more_measures/chrf.h"
#include "apps/regard/measure.h"

namespace regard::program {

namespace {

class ChrfMeasure : public Measure {
  void add_options(const Command& every, const Command&) override {
    every.option("--chrf++", with_words_, "Also measure chrF2++, which counts words, too");
  }

  Measured of_outputs(const Outputs& outputs) override {
    Measured result = score("chrF2", "chrf2", {.lowercase = outputs.options.lowercase}, outputs);
    if (!with_words_) return result;
    const Measured more =
        score("chrF2++", "chrf2++", {.lowercase = outputs.options.lowercase, .words = true}, outputs);
    result.lines += more.lines;
    result.json.update(more.json);
    return result;
  }

  static Measured score(const char* name, const char* key, const translation::ChrfOptions& options,
                        const Outputs& outputs) {
    translation::ChrfCounts sum;
    for (const translation::ChrfCounts& counts :
         chrf_counts_of_several(outputs.hypotheses, outputs.references, options))
      sum += counts;
    const double score = chrf(sum);
    const std::string its_signature = signature(options, outputs.references.size());
    return {.lines = fmt::format("{:<16}{:.2f}\n  signature     {}\n", name, score, its_signature),
            .json = {{key, {{"score", score}, {"signature", its_signature}}}}};
  }

  bool with_words_ = false;
};

}  // namespace

std::shared_ptr<Measure> make_chrf() { return std::make_shared<ChrfMeasure>(); }

}  // namespace regard::program
