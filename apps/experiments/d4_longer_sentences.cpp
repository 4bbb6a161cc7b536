#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment longer_sentences() {
  const std::vector<double> lengths{5, 10, 15, 20, 25, 30, 40, 50, 60};
  Experiment experiment{
      .id = "D4",
      .claim = "Sinusoids extrapolate to sentences longer than those of the training.",
      .source = "Vaswani et al. 2017, section 3.5, as a hope",
      .published =
          "Language models with sinusoids get worse beyond a few dozen tokens more than in the training; "
          "ALiBi "
          "does not (Press et al. 2022).",
      .method = "The toy Transformer learns to copy 1 to 20 letters and is tested on 5 to 60.",
      .rule =
          "Letters count that are right at their place. It holds for a kind of positions if, in every seed, "
          "at least "
          "90 % are right at 30 letters, and the model has learnt the task (at least 95 % at 20). The "
          "verdict is that "
          "of the sinusoids: it holds in part if at least 50 % are right at 30 letters, and cannot be "
          "decided if the "
          "task was not learnt.",
      .minutes = 8,
      .variants = {},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.004"}},
      .run =
          [=](const Job& job) {
            const auto toy = [](Index least, Index most) {
              return toys::sequence_toy(toys::SequenceKind::copy, least, most);
            };
            Trained trained = train(job, corpus_for(job, toy(1, 20), {20000, 100, 1}),
                                    {"model.dropout=0", "training.steps=1500"});
            Measurements measured = std::move(trained.training);
            for (const double length : lengths) {
              const auto n = static_cast<Index>(length);
              measured["right"].push_back(
                  translate(trained, sample(job, toy(n, n), 100, 2)).token_accuracy());
            }
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const Range known = results.range("sinusoidal", "right", 3),
                    beyond = results.range("sinusoidal", "right", 5);
        std::string because = fmt::format("Right at 30 letters: sinusoidal {} %", text(beyond, 1));
        for (const char* const kind : {"relative", "rotary", "alibi"})
          because += fmt::format(", {} {} %", kind, text(results.range(kind, "right", 5), 1));
        return {known.least < 95     ? Verdict::cannot_be_decided
                : beyond.least >= 90 ? Verdict::holds
                : beyond.least >= 50 ? Verdict::holds_in_part
                                     : Verdict::does_not_hold,
                because + "."};
      },
      .columns = {{"right at 20 letters, %", "right", 1, 3},
                  {"right at 30, %", "right", 1, 5},
                  {"right at 60, %", "right", 1, 8}},
      .figures = {{.title = "Right by length",
                   .measurement = "right",
                   .y_label = "letters right, %",
                   .x_label = "letters (up to 20 in the training)",
                   .x = lengths}}};
  for (const char* const kind : {"sinusoidal", "learned", "relative", "rotary", "alibi"})
    experiment.variants.push_back({kind, {fmt::format("model.positions.kind={}", kind)}});
  return experiment;
}

}  // namespace regard::experiments
