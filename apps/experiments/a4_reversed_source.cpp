#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

Experiment reversed_source() {
  return {
      .id = "A4",
      .claim = "Reversing the source helps a model without attention.",
      .source = "Sutskever et al. 2014, section 3.3",
      .published = "BLEU 25.9 -> 30.6.",
      .method = "A small LSTM encoder-decoder without attention copies 1 to 12 letters.",
      .rule =
          "It holds if every seed with a reversed source has more sentences right than every seed "
          "without.",
      .minutes = 4,
      .takes_corpus = true,
      .variants = {{"in order", {"model.reverse_source=false"}}, {"reversed", {"model.reverse_source=true"}}},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.005"}},
      .run =
          [](const Job& job) {
            const toys::Corpus corpus = corpus_for(job, toys::find_toy("copy"), {10000, 200, 500});
            Trained trained =
                train(job, corpus,
                      {"model.preset=sutskever2014", "model.d_model=96", "model.decoder_layers=1",
                       "model.encoder_layers=1", "model.dropout=0", "training.steps=1500"});
            const Translations result = translate(trained, corpus.test);
            Measurements measured = std::move(trained.training);
            measured["exact"] = {result.exact_match()};
            measured["first"] = {result.right_at(0)};
            measured["last"] = {result.right_at(-1)};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const Range plain = results.range("in order", "exact");
        const Range reversed = results.range("reversed", "exact");
        return {above(reversed, plain)   ? Verdict::holds
                : above(plain, reversed) ? Verdict::does_not_hold
                                         : Verdict::cannot_be_decided,
                fmt::format("Reversed, {} % of the sentences are right; in order, {} %.", text(reversed, 1),
                            text(plain, 1))};
      },
      .columns = {{"exact match, %", "exact"},
                  {"first word right, %", "first"},
                  {"last word right, %", "last"}},
      .figures = {{.title = "Exact match", .measurement = "exact", .y_label = "exact match, %"}}};
}

}  // namespace regard::experiments
