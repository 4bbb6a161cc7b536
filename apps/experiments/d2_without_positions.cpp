#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment without_positions() {
  const auto sides = [](const char* of) { return std::vector{fmt::format("model.positions.sides={}", of)}; };
  return {
      .id = "D2",
      .claim = "Positions must be added; only a causal decoder can do without.",
      .source = "lecture notes; Haviv et al. 2022",
      .published =
          "English to German, without any positions: 12.5 BLEU against 25.8 (Shaw et al. 2018, table 3). "
          "Causal language models lose little without (perplexity 20.97 against 20.16), bidirectional ones "
          "everything (147 against 4; Haviv et al. 2022).",
      .method =
          "The toy Transformer with sinusoids on both sides, on one side, and on none translates the toy "
          "sentences of up to 24 words.",
      .rule =
          "The encoder needs them if every seed without positions in the encoder has at least 5 points of "
          "BLEU "
          "less than every seed with both. The decoder does without if the mean without positions in the "
          "decoder "
          "is at most 1 point below both. It holds if both are so, and in part if one is.",
      .minutes = 5,
      .takes_corpus = true,
      .variants = {{"both"},
                   {"encoder only", sides("encoder")},
                   {"decoder only", sides("decoder")},
                   {"none", {"model.positions.kind=none"}}},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.004"}},
      .run = on_sentences({.settings = {"model.dropout=0.05", "training.steps=1500"}}),
      .decide = [](const Results& results) -> Decision {
        const auto bleu = [&](const char* variant) { return results.range(variant, "bleu"); };
        const Range both = bleu("both");
        const bool encoder_needs = both.least - bleu("decoder only").most >= 5;
        const bool decoder_without = both.mean - bleu("encoder only").mean <= 1;
        return {
            encoder_needs && decoder_without   ? Verdict::holds
            : encoder_needs || decoder_without ? Verdict::holds_in_part
                                               : Verdict::does_not_hold,
            fmt::format("BLEU: {} with both, {} without in the decoder, {} without in the encoder, {} with "
                        "none.",
                        text(both, 1), text(bleu("encoder only"), 1), text(bleu("decoder only"), 1),
                        text(bleu("none"), 1))};
      },
      .columns = {{"BLEU", "bleu"}, {"perplexity", "perplexity", 2}},
      .figures = {{.title = "Quality", .measurement = "bleu", .y_label = "BLEU"}}};
}

}  // namespace regard::experiments
