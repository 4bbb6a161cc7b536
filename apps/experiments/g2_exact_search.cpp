#include <algorithm>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "transformer/search/exact_search.h"

namespace regard::experiments {

Experiment exact_translations() {
  return {
      .id = "G2",
      .claim = "The most probable translation is often empty.",
      .source = "Stahlberg and Byrne 2019",
      .published =
          "Transformer base, WMT English to German: 51.8 % of the most probable translations are empty; a "
          "beam of 10 misses the most probable one in 57.7 % (table 1).",
      .method =
          "Toy Transformers that have seen 1,000 or 20,000 pairs of the toy sentences of up to 24 words "
          "translate 100 new sentences with an exact search (at most 20,000 expansions a sentence). A search "
          "error is a sentence for which the exact search found a more probable translation than beam 5.",
      .rule =
          "It holds if, for one of the models, at least half of the most probable translations are empty in "
          "the "
          "mean; in part if at least 1 % are for one of them in every seed; otherwise it does not hold. If "
          "fewer "
          "than half of the searches of both models are complete, it cannot be decided.",
      .minutes = 5,
      .takes_corpus = true,
      .variants = {{"1,000 pairs"}, {"20,000 pairs"}},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.004"}},
      .run =
          [](const Job& job) {
            const std::size_t pairs = job.variant == "1,000 pairs" ? 1000 : 20000;
            const toys::Corpus corpus = corpus_for(job, toys::long_sentences(24), {pairs, 100, 100});
            Trained trained = train(job, corpus, {"model.dropout=0.1", "training.steps=1000"});
            Measurements measured = std::move(trained.training);
            const transformer::Source source =
                transformer::pack_sources(encoded(trained, corpus.test).source);
            const transformer::SearchOptions beam{.beam = 5, .alpha = 0};
            const auto found = transformer::beam_search(trained.model(), source, beam);
            const auto exact = transformer::exact_search(
                trained.model(), source, {.search = beam, .most_expansions = job.many(20000, 200)});
            double empty = 0, errors = 0, complete = 0;
            for (std::size_t i = 0; i < exact.size(); ++i) {
              empty += exact[i].best.tokens.empty();
              errors += exact[i].best.log_probability > found[i].front().log_probability + 1e-4;
              complete += exact[i].complete;
            }
            const auto share = [&](double count) {
              return std::vector{100 * count / static_cast<double>(exact.size())};
            };
            measured["empty"] = share(empty);
            measured["errors"] = share(errors);
            measured["complete"] = share(complete);
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const auto at = [&](const char* pairs, const char* what) { return results.range(pairs, what); };
        const Range few = at("1,000 pairs", "empty"), many = at("20,000 pairs", "empty");
        const bool complete =
            std::max(at("1,000 pairs", "complete").mean, at("20,000 pairs", "complete").mean) >= 50;
        return {
            !complete                              ? Verdict::cannot_be_decided
            : std::max(few.mean, many.mean) >= 50  ? Verdict::holds
            : std::max(few.least, many.least) >= 1 ? Verdict::holds_in_part
                                                   : Verdict::does_not_hold,
            fmt::format("{} % of the most probable translations are empty after 1,000 pairs and {} % after "
                        "20,000. Beam 5 misses the most probable one in {} % and {} %.",
                        text(few, 0), text(many, 0), text(at("1,000 pairs", "errors"), 0),
                        text(at("20,000 pairs", "errors"), 0))};
      },
      .columns = {{"empty, %", "empty", 0},
                  {"search errors of beam 5, %", "errors", 0},
                  {"complete searches, %", "complete", 0}},
      .figures = {{.title = "Empty", .measurement = "empty", .y_label = "empty translations, %"},
                  {.title = "Errors", .measurement = "errors", .y_label = "search errors of beam 5, %"}}};
}

}  // namespace regard::experiments
