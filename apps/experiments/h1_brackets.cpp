#include <algorithm>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment nested_brackets() {
  return {
      .id = "H1",
      .claim = "Recurrent models find nested structure hard.",
      .source = "lecture notes (\"car, the car, into the car\")",
      .published =
          "Tran et al. 2018 and Hahn 2020 point the other way: recurrent models are better at agreement, and "
          "self-attention of fixed depth cannot follow brackets of any length.",
      .method =
          "The four models read the beginning of a text of brackets and close the one to eight that are "
          "open, "
          "the innermost first. 800 new texts, by depth.",
      .rule =
          "It holds if every model with a recurrent encoder closes fewer of the texts of depth 8 than the "
          "Transformer, in all seeds; in part if only the model without attention does; it does not hold if "
          "some "
          "recurrent model is above the Transformer in all seeds; otherwise it cannot be decided.",
      .minutes = 5,
      .variants = four_models({"model.dropout=0"}),
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.005"}},
      .run =
          [](const Job& job) {
            const toys::Corpus corpus = corpus_for(job, toys::find_toy("brackets"), {20000, 100, 800});
            Trained trained = train(job, corpus, {"training.steps=1500"});
            Measurements measured = std::move(trained.training);
            for (Index depth = 1; depth <= 8; ++depth) {
              Pairs pairs;
              std::ranges::copy_if(corpus.test, std::back_inserter(pairs),
                                   [&](const toys::SentencePair& pair) {
                                     return std::ranges::count(pair.target, ' ') + 1 == depth;
                                   });
              measured["exact"].push_back(pairs.empty() ? 0 : translate(trained, pairs).exact_match());
            }
            measured["deep"] = {measured["exact"].back()};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const auto deep = [&](const char* model) { return results.range(model, "deep"); };
        const Range transformer = deep("Transformer");
        int below = 0, over = 0;
        for (const char* const model : {"no attention", "Bahdanau", "Luong"}) {
          below += above(transformer, deep(model));
          over += above(deep(model), transformer);
        }
        return {below == 3  ? Verdict::holds
                : over > 0  ? Verdict::does_not_hold
                : below > 0 ? Verdict::holds_in_part
                            : Verdict::cannot_be_decided,
                fmt::format(
                    "Right at depth 8: {} % without attention, {} % Bahdanau, {} % Luong, {} % Transformer.",
                    text(deep("no attention"), 0), text(deep("Bahdanau"), 0), text(deep("Luong"), 0),
                    text(transformer, 0))};
      },
      .columns = {{"right at depth 1, %", "exact", 1, 0}, {"right at depth 8, %", "deep"}},
      .figures = {{.title = "By depth",
                   .measurement = "exact",
                   .y_label = "texts closed, %",
                   .x_label = "depth",
                   .x = {1, 2, 3, 4, 5, 6, 7, 8}}}};
}

}  // namespace regard::experiments
