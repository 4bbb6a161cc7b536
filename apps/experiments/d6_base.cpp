#include <cmath>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment base_of_sinusoids() {
  Experiment experiment{
      .id = "D6",
      .claim = "The base 10000 of the sinusoids matters.",
      .source = "Vaswani et al. 2017, section 3.5; some notes print 1000",
      .published = "Wavelengths from 2 pi to 10000 2 pi; no experiment with other bases.",
      .method =
          "The toy Transformer with bases from 10 to 100000 translates the toy sentences of up to 24 words. "
          "Beside it, "
          "the wavelength of each pair of columns.",
      .rule =
          "It matters if some base between 100 and 100000 has more BLEU in every seed than 10000 has in any, "
          "or 10000 "
          "more than some of them; then the claim holds. It does not hold if no such base differs. (The base "
          "10 is a "
          "control, outside of the rule.)",
      .minutes = 6,
      .takes_corpus = true,
      .variants = {},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.004"}},
      .run =
          [](const Job& job) {
            Measurements measured =
                on_sentences({.settings = {"model.dropout=0.05", "training.steps=1500"}})(job);
            for (Index i = 0; i < 32; ++i)
              measured["wavelength"].push_back(2 * std::acos(-1.0) *
                                               std::pow(std::stod(job.variant), static_cast<double>(i) / 32));
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const Range paper = results.range("10000", "bleu");
        bool differs = false;
        for (const char* const base : {"100", "1000", "100000"})
          differs = differs || above(results.range(base, "bleu"), paper) ||
                    above(paper, results.range(base, "bleu"));
        return {differs ? Verdict::holds : Verdict::does_not_hold,
                fmt::format("BLEU: base 100 {}, 1000 {}, 10000 {}, 100000 {}.",
                            text(results.range("100", "bleu"), 1), text(results.range("1000", "bleu"), 1),
                            text(paper, 1), text(results.range("100000", "bleu"), 1))};
      },
      .columns = {{"BLEU", "bleu"}, {"perplexity", "perplexity", 3}},
      .figures = {{.title = "Quality", .measurement = "bleu", .y_label = "BLEU"},
                  {.title = "Wavelengths",
                   .measurement = "wavelength",
                   .y_label = "wavelength, words",
                   .x_label = "pair of columns",
                   .x = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                         17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32},
                   .y_logarithmic = true}}};
  for (const char* const base : {"10", "100", "1000", "10000", "100000"})
    experiment.variants.push_back({base, {fmt::format("model.positions.base={}", base)}});
  return experiment;
}

}  // namespace regard::experiments
