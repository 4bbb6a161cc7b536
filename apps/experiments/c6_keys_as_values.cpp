#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment keys_as_values() {
  return {
      .id = "C6",
      .claim = "Keys and values may be the same.",
      .source = "lecture notes; they are the same in Bahdanau et al. 2015 and Luong et al. 2015",
      .published = "",
      .method =
          "The toy Transformer with separate keys and values, with the same ones, and with the same ones and "
          "a "
          "wider feed-forward network that has the parameters back, translates the toy sentences of up to 24 "
          "words.",
      .rule =
          "It holds if the same ones, with as many parameters, are at most 1 point of BLEU below separate "
          "ones in "
          "the mean; it does not hold if every seed is more than 1 point below every seed of separate ones; "
          "otherwise it cannot be decided.",
      .minutes = 5,
      .takes_corpus = true,
      .variants = {{"separate"},
                   {"the same", {"model.multi_head.shared_key_value=true"}},
                   {"the same, as many parameters",
                    {"model.multi_head.shared_key_value=true", "model.d_ff=176"}}},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.004"}},
      .run = on_sentences({.settings = {"model.dropout=0.05", "training.steps=1500"}}),
      .decide = [](const Results& results) -> Decision {
        const Range separate = results.range("separate", "bleu");
        const Range same = results.range("the same, as many parameters", "bleu");
        return {separate.mean - same.mean <= 1   ? Verdict::holds
                : separate.least - same.most > 1 ? Verdict::does_not_hold
                                                 : Verdict::cannot_be_decided,
                fmt::format("BLEU: separate {}, the same {}, the same with as many parameters {}.",
                            text(separate, 1), text(results.range("the same", "bleu"), 1), text(same, 1))};
      },
      .columns = {{"parameters", "parameters", 0}, {"BLEU", "bleu"}, {"ms per step", "step_ms"}},
      .figures = {{.title = "Quality", .measurement = "bleu", .y_label = "BLEU"}}};
}

}  // namespace regard::experiments
