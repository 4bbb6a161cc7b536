#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "transformer/teacher_forcing.h"

namespace regard::experiments {

namespace {

/// The share of the pairs in which the best encoder head looks from the pronoun at its noun more than at any
/// other word, in %.
double best_head(Trained& trained, const Pairs& pairs) {
  const translation::ParallelCorpus corpus = encoded(trained, pairs);
  std::vector<std::vector<double>> right;  // of each layer and head
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const transformer::Batch batch = transformer::make_batch({&corpus.source[i], 1}, {&corpus.target[i], 1});
    const transformer::ForcedPass pass = transformer::forced_pass(trained.model(), batch);
    const toys::PronounLink link = toys::pronoun_link(pairs[i]);
    right.resize(pass.weights.encoder_self.size());
    for (std::size_t layer = 0; layer < right.size(); ++layer) {
      const Tensor& weights = pass.weights.encoder_self[layer].front();  // [heads, queries, keys]
      right[layer].resize(to_size(weights.size(0)));
      for (Index head = 0; head < weights.size(0); ++head) {
        const Tensor row = weights.view({1, weights.size(2)},
                                        (head * weights.size(1) + to_index(link.pronoun)) * weights.size(2));
        right[layer][to_size(head)] += argmax(row).front() == static_cast<std::int32_t>(link.antecedent);
      }
    }
  }
  double best = 0;
  for (const std::vector<double>& layer : right)
    for (const double count : layer) best = std::max(best, 100 * count / static_cast<double>(pairs.size()));
  return best;
}

}  // namespace

Experiment pronouns() {
  return {
      .id = "H2",
      .claim = "Self-attention connects \"it\" with its noun.",
      .source = "lecture notes; Voita et al. 2018",
      .published =
          "Attention of a model with context matches coreference, and translation gains where a pronoun "
          "needs a gender (Voita et al. 2018).",
      .method =
          "Toy Transformers and Bahdanau's model translate sentences with two nouns and a pronoun, whose "
          "French "
          "form needs the gender of its noun. How often the pronoun is right, and how often the best encoder "
          "head looks from the pronoun most at its noun.",
      .rule =
          "It holds if, in every seed, the Transformer has at least 95 % of the pronouns right and its best "
          "head "
          "looks at the noun in at least 80 % of the sentences; in part if only the pronouns are right.",
      .minutes = 4,
      .variants = {{"Transformer"}, {"Bahdanau", {"model.preset=bahdanau2015", "model.d_model=88"}}},
      .tuning = {{"training.learning_rate=0.002"}, {"training.learning_rate=0.005"}},
      .run =
          [](const Job& job) {
            const toys::Corpus corpus = corpus_for(job, toys::find_toy("pronouns"), {20000, 100, 400});
            Trained trained = train(job, corpus, {"model.dropout=0.05", "training.steps=1500"});
            Measurements measured = std::move(trained.training);
            const std::vector<std::vector<bool>> right = forced_right(trained, corpus.test);
            double pronouns = 0;
            for (std::size_t i = 0; i < right.size(); ++i)
              pronouns += right[i][toys::pronoun_link(corpus.test[i]).translation];
            measured["pronouns"] = {100 * pronouns / static_cast<double>(right.size())};
            measured["head"] = {job.variant == "Transformer" ? best_head(trained, corpus.test) : 0};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const Range right = results.range("Transformer", "pronouns"),
                    head = results.range("Transformer", "head");
        return {right.least < 95   ? Verdict::does_not_hold
                : head.least >= 80 ? Verdict::holds
                                   : Verdict::holds_in_part,
                fmt::format(
                    "The Transformer has {} % of the pronouns right (Bahdanau's model {} %), and its best "
                    "head looks at the noun in {} % of the sentences.",
                    text(right, 1), text(results.range("Bahdanau", "pronouns"), 1), text(head, 1))};
      },
      .columns = {{"pronouns right, %", "pronouns"}, {"best head looks at the noun, %", "head"}},
      .figures = {{.title = "Pronouns", .measurement = "pronouns", .y_label = "pronouns right, %"},
                  {.title = "Best head",
                   .measurement = "head",
                   .y_label = "best head looks at the noun, %",
                   .variants = {"Transformer"}}}};
}

}  // namespace regard::experiments
