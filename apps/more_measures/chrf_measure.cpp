#include "apps/more_measures/chrf.h"
#include "apps/regard/measure.h"

namespace regard::program {

namespace {

class ChrfMeasure : public Measure {
  Measured of_outputs(const Outputs& outputs) override {
    const translation::ChrfOptions options{.lowercase = outputs.options.lowercase};
    translation::ChrfCounts sum;
    for (const translation::ChrfCounts& counts :
         chrf_counts_of_several(outputs.hypotheses, outputs.references, options))
      sum += counts;
    const double score = chrf(sum);
    const std::string its_signature = signature(options, outputs.references.size());
    return {.lines = fmt::format("chrF2           {:.2f}\n  signature     {}\n", score, its_signature),
            .json = {{"chrf2", {{"score", score}, {"signature", its_signature}}}}};
  }
};

}  // namespace

std::shared_ptr<Measure> make_chrf() { return std::make_shared<ChrfMeasure>(); }

}  // namespace regard::program
