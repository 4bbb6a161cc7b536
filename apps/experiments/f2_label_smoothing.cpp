#include <cmath>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment label_smoothing() {
  Experiment experiment{
      .id = "F2",
      .claim = "Label smoothing hurts perplexity and helps BLEU.",
      .source = "Vaswani et al. 2017, section 5.4",
      .published =
          "Smoothing 0, 0.1, 0.2: perplexity 4.67, 4.92, 5.47; BLEU 25.3, 25.8, 25.7 (table 3, rows D).",
      .method =
          "The toy Transformer translates the toy sentences of up to 24 words, with few training pairs "
          "(4,000), so that it does not learn them perfectly. Beam 4.",
      .rule =
          "It holds if every seed without smoothing has a lower perplexity than every seed with 0.1, and "
          "every "
          "seed with 0.1 has more BLEU than every seed without; in part if one of the two is so; it does not "
          "hold if BLEU falls in all seeds.",
      .minutes = 6,
      .takes_corpus = true,
      .variants = {},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.004"}},
      .run =
          on_sentences({.pairs = 4000, .settings = {"model.dropout=0.1", "training.steps=1500"}, .beam = 4}),
      .decide = [](const Results& results) -> Decision {
        const auto at = [&](const char* variant, const char* what) { return results.range(variant, what); };
        const bool hurts = above(at("0.1", "perplexity"), at("0", "perplexity"));
        const bool helps = above(at("0.1", "bleu"), at("0", "bleu"));
        return {
            hurts && helps                              ? Verdict::holds
            : hurts || helps                            ? Verdict::holds_in_part
            : above(at("0", "bleu"), at("0.1", "bleu")) ? Verdict::does_not_hold
                                                        : Verdict::cannot_be_decided,
            fmt::format("Without smoothing, perplexity {} and BLEU {}; with 0.1, perplexity {} and BLEU {}.",
                        text(at("0", "perplexity"), 2), text(at("0", "bleu"), 1),
                        text(at("0.1", "perplexity"), 2), text(at("0.1", "bleu"), 1))};
      },
      .columns = {{"perplexity", "perplexity", 2}, {"BLEU", "bleu"}},
      .figures = {{.title = "Perplexity", .measurement = "perplexity", .y_label = "perplexity"},
                  {.title = "Quality", .measurement = "bleu", .y_label = "BLEU"}}};
  for (const char* const smoothing : {"0", "0.1", "0.2", "0.3"})
    experiment.variants.push_back({smoothing, {fmt::format("training.label_smoothing={}", smoothing)}});
  return experiment;
}

}  // namespace regard::experiments
