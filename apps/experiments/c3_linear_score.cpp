#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "apps/experiments/weights.h"

namespace regard::experiments {

Experiment linear_score() {
  return {
      .id = "C3",
      .claim = "A linear score of query and key, w [s; h], cannot choose by the query.",
      .source = "our own argument: w1 s is the same for all keys, and the softmax drops it",
      .published = "",
      .method =
          "Bahdanau's model of width 88 with a linear, a dot and an additive score translates the toy "
          "sentences. The weight of a source word differs between the queries by the greatest minus the "
          "least weight that a target word gives to it.",
      .rule =
          "It holds if, in every seed, the weights of the linear score differ between the queries by less "
          "than 0.00001 and those of the others by more than 0.1, and every seed of the others has more "
          "BLEU.",
      .minutes = 3,
      .takes_corpus = true,
      .variants = {{"linear", {"model.attention.score=linear_concat"}},
                   {"dot", {"model.attention.score=dot", "model.encoder_width=44"}},
                   {"additive", {"model.attention.score=additive"}}},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.005"}},
      .run =
          [](const Job& job) {
            const toys::Corpus corpus = corpus_for(job, toys::find_toy("sentences"), {20000, 100, 300});
            Trained trained = train(job, corpus,
                                    {"model.preset=bahdanau2015", "model.d_model=88", "model.dropout=0.05",
                                     "training.steps=1500"});
            Measurements measured = std::move(trained.training);
            measured["bleu"] = {translate(trained, corpus.test).bleu()};
            measured["difference"] = {query_dependence(trained, corpus.test)};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const Range linear = results.range("linear", "difference"), bleu = results.range("linear", "bleu");
        bool chooses = true, better = true;
        for (const char* const other : {"dot", "additive"}) {
          chooses = chooses && results.range(other, "difference").least > 0.1;
          better = better && above(results.range(other, "bleu"), bleu);
        }
        return {!(linear.most < 1e-5) ? Verdict::does_not_hold
                : chooses && better   ? Verdict::holds
                                      : Verdict::holds_in_part,
                fmt::format("Between the queries, the weights differ by {:.1e} with the linear score, {:.2f} "
                            "with dot, and {:.2f} with additive. BLEU is {:.1f}, {:.1f} and {:.1f}.",
                            linear.mean, results.mean("dot", "difference"),
                            results.mean("additive", "difference"), bleu.mean, results.mean("dot", "bleu"),
                            results.mean("additive", "bleu"))};
      },
      .columns = {{"difference between queries", "difference", -1}, {"BLEU", "bleu"}},
      .figures = {{.title = "Difference",
                   .measurement = "difference",
                   .y_label = "difference between queries"},
                  {.title = "Quality", .measurement = "bleu", .y_label = "BLEU"}}};
}

}  // namespace regard::experiments
