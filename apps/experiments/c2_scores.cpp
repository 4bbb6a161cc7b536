#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "apps/experiments/weights.h"

namespace regard::experiments {

Experiment best_score() {
  Experiment experiment{
      .id = "C2",
      .claim = "Among the scores, the general one is best, and the additive one is best for wide states.",
      .source =
          "Luong et al. 2015, section 5.3; Britz et al. 2017, as cited in Vaswani et al. 2017, section 3.2.1",
      .published =
          "English to German, global attention: dot 18.6 BLEU, general 17.3, location 18.1 (Luong et al. "
          "2015, table 4): the papers do not agree.",
      .method =
          "Luong's model of width 88 with each score translates the toy sentences of up to 24 words, all "
          "with "
          "the same number of steps.",
      .rule =
          "A score is best if every seed with it has more BLEU than every seed with any other score. The "
          "claim "
          "holds if this is the general or the additive score, does not hold if it is another, and cannot be "
          "decided if there is no such score.",
      .minutes = 10,
      .takes_corpus = true,
      .variants = {},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.005"}},
      .run =
          [](const Job& job) {
            const toys::Corpus corpus = corpus_for(job, toys::long_sentences(24), {20000, 100, 400});
            Trained trained = train(job, corpus,
                                    {"model.preset=luong2015", "model.cell=gru", "model.bidirectional=true",
                                     "model.d_model=88", "model.dropout=0.05", "training.steps=2500"});
            Measurements measured = std::move(trained.training);
            measured["bleu"] = {translate(trained, corpus.test).bleu()};
            measured["entropy"] = {source_entropy(trained, corpus.test)};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        std::string best, ranking;
        for (const Results::OfVariant& one : results.variants) {
          bool first = true;
          for (const Results::OfVariant& other : results.variants)
            first = first && (one.name == other.name ||
                              above(results.range(one.name, "bleu"), results.range(other.name, "bleu")));
          if (first) best = one.name;
          ranking += fmt::format("{}{} {:.1f}", ranking.empty() ? "" : ", ", one.name,
                                 results.mean(one.name, "bleu"));
        }
        return {best.empty()                              ? Verdict::cannot_be_decided
                : best == "general" || best == "additive" ? Verdict::holds
                                                          : Verdict::does_not_hold,
                best.empty() ? fmt::format("No score is above all others in all seeds; BLEU: {}.", ranking)
                             : fmt::format("{} is above all others; BLEU: {}.", best, ranking)};
      },
      .columns = {{"parameters", "parameters", 0},
                  {"BLEU", "bleu"},
                  {"ms per step", "step_ms"},
                  {"entropy of the weights, nats", "entropy", 2}},
      .figures = {{.title = "Quality", .measurement = "bleu", .y_label = "BLEU"},
                  {.title = "Entropy", .measurement = "entropy", .y_label = "entropy, nats"}}};
  for (const char* const score :
       {"dot", "scaled_dot", "general", "additive", "cosine", "location", "linear_concat"})
    experiment.variants.push_back({score, {fmt::format("model.attention.score={}", score)}});
  return experiment;
}

}  // namespace regard::experiments
