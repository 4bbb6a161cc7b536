#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "apps/experiments/weights.h"

namespace regard::experiments {

Experiment normalisers() {
  Experiment experiment{
      .id = "C5",
      .claim = "The softmax is not needed.",
      .source = "lecture notes",
      .published =
          "With a suitable shift, sigmoid attention equals softmax (Ramapuram et al. 2024); sparsemax is "
          "about as "
          "accurate, with exact zeros (Martins and Astudillo 2016).",
      .method =
          "The toy Transformer with softmax, sparsemax, a rectified and normalised score, and sigmoid in all "
          "heads "
          "translates the toy sentences. Entropy and zeros of the weights from target to source.",
      .rule =
          "The softmax is not needed if some other normaliser is at most 1 point of BLEU below it in the "
          "mean. The "
          "claim holds if all others are, in part if some are, and does not hold if none is.",
      .minutes = 6,
      .takes_corpus = true,
      .variants = {},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.004"}},
      .run =
          [](const Job& job) {
            const toys::Corpus corpus = corpus_for(job, toys::find_toy("sentences"), {20000, 100, 300});
            Trained trained = train(job, corpus, {"model.dropout=0.05", "training.steps=1200"});
            Measurements measured = std::move(trained.training);
            measured["bleu"] = {translate(trained, corpus.test).bleu()};
            measured["entropy"] = {source_entropy(trained, corpus.test)};
            measured["zeros"] = {share_of_zeros(trained, corpus.test)};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const double softmax = results.mean("softmax", "bleu");
        int equal = 0;
        std::string because = fmt::format("BLEU: softmax {}", text(results.range("softmax", "bleu"), 1));
        for (const char* const other : {"sparsemax", "relu", "sigmoid"}) {
          equal += softmax - results.mean(other, "bleu") <= 1;
          because += fmt::format(", {} {}", other, text(results.range(other, "bleu"), 1));
        }
        return {equal == 3  ? Verdict::holds
                : equal > 0 ? Verdict::holds_in_part
                            : Verdict::does_not_hold,
                because + "."};
      },
      .columns = {{"BLEU", "bleu"},
                  {"entropy, nats", "entropy", 2},
                  {"weights that are 0, %", "zeros"},
                  {"ms per step", "step_ms"}},
      .figures = {{.title = "Quality", .measurement = "bleu", .y_label = "BLEU"},
                  {.title = "Zeros", .measurement = "zeros", .y_label = "weights that are 0, %"}}};
  for (const char* const normaliser : {"softmax", "sparsemax", "relu", "sigmoid"})
    experiment.variants.push_back({normaliser, {fmt::format("model.multi_head.normaliser={}", normaliser)}});
  return experiment;
}

}  // namespace regard::experiments
