#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment number_of_heads() {
  Experiment experiment{
      .id = "F3",
      .claim = "More heads help, and then hurt.",
      .source = "Vaswani et al. 2017, section 6.2",
      .published =
          "1, 4, 8, 16, 32 heads of one whole width: BLEU 24.9, 25.5, 25.8, 25.8, 25.4 (table 3, rows A).",
      .method =
          "The toy Transformer of width 64 with 1 to 32 heads translates the toy sentences of up to 24 "
          "words.",
      .rule =
          "It helps if some number of heads has more BLEU in every seed than one head has in any. It hurts "
          "if "
          "some smaller number has more BLEU in every seed than 32 heads have in any. It holds if both are "
          "so, "
          "and in part if one is.",
      .minutes = 7,
      .takes_corpus = true,
      .variants = {},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.004"}},
      .run = on_sentences({.settings = {"model.dropout=0.05", "training.steps=1500"}}),
      .decide = [](const Results& results) -> Decision {
        bool helps = false, hurts = false;
        std::string best = "1";
        for (const char* const heads : {"2", "4", "8", "16", "32"}) {
          const Range bleu = results.range(heads, "bleu");
          helps = helps || above(bleu, results.range("1", "bleu"));
          hurts = hurts || above(bleu, results.range("32", "bleu"));
          if (bleu.mean > results.mean(best, "bleu")) best = heads;
        }
        return {helps && hurts   ? Verdict::holds
                : helps || hurts ? Verdict::holds_in_part
                                 : Verdict::does_not_hold,
                fmt::format("BLEU is {} with 1 head, {} with {}, and {} with 32.",
                            text(results.range("1", "bleu"), 1), text(results.range(best, "bleu"), 1), best,
                            text(results.range("32", "bleu"), 1))};
      },
      .columns = {{"BLEU", "bleu"}, {"validation loss", "validation_loss", 3}, {"ms per step", "step_ms"}},
      .figures = {{.title = "Quality", .measurement = "bleu", .y_label = "BLEU"}}};
  for (const char* const heads : {"1", "2", "4", "8", "16", "32"})
    experiment.variants.push_back({heads, {fmt::format("model.heads={}", heads)}});
  return experiment;
}

}  // namespace regard::experiments
