#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment which_positions() {
  Experiment experiment{
      .id = "D3",
      .claim = "Relative positions are better than sinusoids.",
      .source = "Shaw et al. 2018",
      .published =
          "English to German, base model: sinusoids 26.5 BLEU, relative 26.8 (table 1); rotary 27.5 against "
          "27.3 "
          "(Su et al. 2021, table 1); learned and sinusoids nearly equal (Vaswani et al. 2017, table 3).",
      .method =
          "The toy Transformer with each kind of positions translates the toy sentences of up to 24 words.",
      .rule =
          "It holds if relative positions, rotary and ALiBi each have more BLEU in every seed than sinusoids "
          "have in "
          "any; in part if some of the three have; it does not hold if none has.",
      .minutes = 8,
      .takes_corpus = true,
      .variants = {},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.004"}},
      .run = on_sentences({.settings = {"model.dropout=0.05", "training.steps=1500"}}),
      .decide = [](const Results& results) -> Decision {
        const Range sinusoidal = results.range("sinusoidal", "bleu");
        int better = 0;
        std::string because = fmt::format("BLEU: sinusoidal {}", text(sinusoidal, 1));
        for (const char* const kind : {"relative", "rotary", "alibi"}) {
          better += above(results.range(kind, "bleu"), sinusoidal);
          because += fmt::format(", {} {}", kind, text(results.range(kind, "bleu"), 1));
        }
        return {better == 3  ? Verdict::holds
                : better > 0 ? Verdict::holds_in_part
                             : Verdict::does_not_hold,
                because + "."};
      },
      .columns = {{"parameters", "parameters", 0},
                  {"BLEU", "bleu"},
                  {"perplexity", "perplexity", 3},
                  {"ms per step", "step_ms"}},
      .figures = {{.title = "Quality", .measurement = "bleu", .y_label = "BLEU"},
                  {.title = "Perplexity", .measurement = "perplexity", .y_label = "perplexity"}}};
  for (const char* const kind : {"sinusoidal", "learned", "relative", "rotary", "alibi", "none"})
    experiment.variants.push_back({kind, {fmt::format("model.positions.kind={}", kind)}});
  return experiment;
}

}  // namespace regard::experiments
