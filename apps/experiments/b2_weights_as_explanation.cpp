#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "apps/experiments/attention.h"
#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"

namespace regard::experiments {

Experiment weights_as_explanation() {
  const auto largest = [](const std::vector<double>& of) {
    return std::ranges::max_element(of) - of.begin();
  };
  return {.id = "B2",
          .claim = "Attention weights tell which source words the model used.",
          .source = "Jain and Wallace 2019 against it; Wiegreffe and Pinter 2019",
          .published =
              "Classifiers: tau of weights and gradients is 0.08 to 0.47 with bidirectional LSTMs, and 0.48 "
              "to 0.84 without recurrence. Permuted weights often change little. No translator was tested.",
          .method =
              "For each target word of the toy sentences, the weights of the source words (last layer, mean "
              "of heads) are compared with erasure, the change of the word's log-probability without the "
              "source word, by Kendall's tau: 1 is the same order, 0 is chance. So is gradient x input. Then "
              "the weights of one step are made equal, or turned round (scores times -1), and the predicted "
              "words compared.",
          .rule =
              "The weights of a model tell what it used if in every seed (1) tau of weights and erasure is "
              "above 0.5, and (2) weights turned round change the predicted word in more than half of the "
              "steps. The claim holds if both are true of all models, in part if one is true of a model, and "
              "otherwise not. It cannot be decided if a seed is below 80 % exact match.",
          .minutes = 4,
          .variants = {{"Luong, general", {"model.preset=luong2015"}},
                       {"Bahdanau, additive", {"model.preset=bahdanau2015"}},
                       {"Transformer", {"model.preset=toy"}}},
          .run =
              [=](const Job& job) {
                const toys::Corpus corpus = corpus_for(job, toys::find_toy("sentences"), {20000, 100, 200});
                Trained trained =
                    train(job, corpus,
                          {"model.d_model=64", "model.dropout=0.1", "training.steps=3000",
                           "training.learning_rate=0.006", "model.shared_embeddings=target_output"});
                const translation::ParallelCorpus test = encoded(trained, corpus.test);
                const auto weights = attention_to_words(trained, test);
                std::map<std::string, double> sums;
                double words = 0;
                for (std::size_t pair = 0; pair < test.source.size(); ++pair) {
                  const auto& source = test.source[pair];
                  if (std::set(source.begin(), source.end()).size() < source.size()) continue;
                  const WordMatrix erased = erasure(trained, test, pair);
                  const WordMatrix gradient = gradient_times_input(trained, test, pair);
                  std::vector<std::int32_t> read{transformer::sentence_begin_id};
                  for (std::size_t target = 0; target < erased.size(); ++target, ++words) {
                    sums["weight_erasure"] += kendall_tau(weights[pair][target], erased[target]);
                    sums["gradient_erasure"] += kendall_tau(gradient[target], erased[target]);
                    sums["same_word"] += 100 * (largest(weights[pair][target]) == largest(erased[target]));
                    const auto word = [&](Real factor) {
                      return largest(next_word(trained.model(), source, read, factor));
                    };
                    sums["flat"] += 100 * (word(0) != word(1));
                    sums["inverted"] += 100 * (word(-1) != word(1));
                    read.push_back(test.target[pair][target]);
                  }
                }
                Measurements measured = std::move(trained.training);
                for (const auto& [name, sum] : sums) measured[name] = {sum / std::max(words, 1.0)};
                measured["exact"] = {translate(trained, corpus.test).exact_match()};
                return measured;
              },
          .decide = [](const Results& results) -> Decision {
            std::size_t in_order = 0, needed = 0, undecided = 0;
            std::string numbers;
            for (const Results::OfVariant& model : results.variants) {
              const Range order = results.range(model.name, "weight_erasure"),
                          change = results.range(model.name, "inverted");
              in_order += order.least > 0.5;
              needed += change.least > 50;
              undecided += results.range(model.name, "exact").least < 80;
              numbers += fmt::format(" {}: tau {}, and weights turned round change {} % of the words.",
                                     model.name, text(order, 2), text(change, 0));
            }
            return {undecided > 0                                      ? Verdict::cannot_be_decided
                    : in_order + needed == 2 * results.variants.size() ? Verdict::holds
                    : in_order + needed > 0                            ? Verdict::holds_in_part
                                                                       : Verdict::does_not_hold,
                    numbers.substr(1, numbers.size() - 2)};
          },
          .columns = {{"exact match, %", "exact"},
                      {"tau, weight and erasure", "weight_erasure", 2},
                      {"tau, gradient and erasure", "gradient_erasure", 2},
                      {"most weight is on the word that matters most, %", "same_word"},
                      {"equal weights change the word, %", "flat"},
                      {"weights turned round change it, %", "inverted"}},
          .figures = {{"Weights", "weight_erasure", "Kendall's tau, weight and erasure"},
                      {"Gradient", "gradient_erasure", "Kendall's tau, gradient and erasure"},
                      {"Turned round", "inverted", "words that change, turned round, %"}}};
}

}  // namespace regard::experiments
