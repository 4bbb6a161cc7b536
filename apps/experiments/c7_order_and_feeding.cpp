#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment order_and_feeding() {
  const auto variant = [](const char* order, bool feeding) {
    return Variant{fmt::format("{}{}", order, feeding ? ", feeding" : ""),
                   {fmt::format("model.attention.order={}", order),
                    fmt::format("model.attention.input_feeding={}", feeding)}};
  };
  return {
      .id = "C7",
      .claim = "Input feeding helps.",
      .source = "Luong et al. 2015, section 3.3",
      .published = "English to German, BLEU 16.8 -> 18.1 (table 1).",
      .method =
          "GRU models of width 88 that look at the source before the state changes (Bahdanau) or after it "
          "(Luong), with and without the last output as a further input, translate the toy sentences of "
          "up to 24 words.",
      .rule =
          "It holds if, in both orders, every seed with feeding has more BLEU than every seed without; in "
          "part if in one order; it cannot be decided if all ranges overlap, and does not hold otherwise.",
      .minutes = 6,
      .takes_corpus = true,
      .variants = {variant("context_first", false), variant("context_first", true),
                   variant("state_first", false), variant("state_first", true)},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.005"}},
      .run = on_sentences({.settings = {"model.preset=bahdanau2015", "model.attention.score=general",
                                        "model.d_model=88", "model.dropout=0.05", "training.steps=2500"}}),
      .decide = [](const Results& results) -> Decision {
        int helps = 0, harms = 0;
        std::string because;
        for (const std::string order : {"context_first", "state_first"}) {
          const Range with = results.range(order + ", feeding", "bleu");
          const Range without = results.range(order, "bleu");
          helps += above(with, without);
          harms += above(without, with);
          because +=
              fmt::format("{}: {} BLEU with feeding, {} without. ", order, text(with, 1), text(without, 1));
        }
        because.pop_back();
        return {helps == 2                 ? Verdict::holds
                : helps == 1               ? Verdict::holds_in_part
                : helps == 0 && harms == 0 ? Verdict::cannot_be_decided
                                           : Verdict::does_not_hold,
                because};
      },
      .columns = {{"parameters", "parameters", 0}, {"BLEU", "bleu"}, {"ms per step", "step_ms"}},
      .figures = {{.title = "Quality", .measurement = "bleu", .y_label = "BLEU"}}};
}

}  // namespace regard::experiments
