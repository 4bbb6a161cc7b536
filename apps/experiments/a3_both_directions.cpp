#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment both_directions() {
  return {
      .id = "A3",
      .claim = "Reading the source in both directions helps, but does not replace attention.",
      .source = "lecture notes; Bahdanau et al. 2015, section 3.2",
      .published = "",
      .method =
          "GRU encoder-decoders translate the toy sentences of up to 24 words, with and without "
          "attention. Two directions have half the width each.",
      .rule =
          "It helps if, with attention and without, every seed with two directions has more BLEU than every "
          "seed with one. It does not replace attention if every seed with one direction and attention has "
          "more BLEU than every seed with two directions and none. The claim holds if both are so, and in "
          "part if one of these three comparisons fails.",
      .minutes = 6,
      .takes_corpus = true,
      .variants = {{"none, one direction", {"model.preset=cho2014", "model.bidirectional=false"}},
                   {"none, two directions", {"model.preset=cho2014", "model.bidirectional=true"}},
                   {"attention, one direction", {"model.bidirectional=false"}},
                   {"attention, two directions", {"model.bidirectional=true"}}},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.005"}},
      .run = on_sentences({.settings = {"model.preset=bahdanau2015", "model.d_model=88", "model.dropout=0.05",
                                        "training.steps=2500"}}),
      .decide = [](const Results& results) -> Decision {
        const auto bleu = [&](const char* variant) { return results.range(variant, "bleu"); };
        const Range none1 = bleu("none, one direction"), none2 = bleu("none, two directions");
        const Range one = bleu("attention, one direction"), two = bleu("attention, two directions");
        const int right = above(none2, none1) + above(two, one) + above(one, none2);
        return {right == 3   ? Verdict::holds
                : right == 2 ? Verdict::holds_in_part
                             : Verdict::does_not_hold,
                fmt::format("A second direction changes BLEU by {:+.1f} points without attention and by "
                            "{:+.1f} with it. Attention changes it by {:+.1f} with one direction.",
                            none2.mean - none1.mean, two.mean - one.mean, one.mean - none1.mean)};
      },
      .columns = {{"parameters", "parameters", 0}, {"BLEU", "bleu"}},
      .figures = {{.title = "Directions and attention", .measurement = "bleu", .y_label = "BLEU"}}};
}

}  // namespace regard::experiments
