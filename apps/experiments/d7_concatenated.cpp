#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment concatenated_positions() {
  return {.id = "D7",
          .claim = "Positions that are concatenated are better than positions that are added.",
          .source = "lecture notes show both",
          .published = "",
          .method =
              "The toy Transformer translates the toy sentences of up to 24 words. Concatenated, embedding "
              "and position "
              "meet in one linear map back to the width.",
          .rule =
              "It holds if every seed with concatenated positions has more BLEU than every seed with added "
              "ones, does "
              "not hold if every seed has less, and cannot be decided otherwise.",
          .minutes = 3,
          .takes_corpus = true,
          .variants = {{"added"}, {"concatenated", {"model.positions.use=concatenated"}}},
          .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.004"}},
          .run = on_sentences({.settings = {"model.dropout=0.05", "training.steps=1500"}}),
          .decide =
              [](const Results& results) {
                return expect_above(results, "concatenated", "added", "bleu", " BLEU");
              },
          .columns = {{"parameters", "parameters", 0}, {"BLEU", "bleu"}, {"perplexity", "perplexity", 3}},
          .figures = {{.title = "Quality", .measurement = "bleu", .y_label = "BLEU"}}};
}

}  // namespace regard::experiments
