#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "apps/experiments/timing.h"
#include "autograd/graph.h"
#include "autograd/ops.h"

namespace regard::experiments {

namespace {

/// What becomes of random queries and keys of width d, all numbers normal with variance 1.
struct RandomScores {
  double variance = 0, largest = 0, gradient = 0;  ///< of the scores; of the weights; of the softmax
};

RandomScores random_scores(Index d, bool scaled, Index seed) {
  constexpr Index queries = 200, keys = 20;
  Random random(static_cast<std::uint64_t>(seed));
  const Tensor query = Tensor::normal({queries, d}, 0, 1, random),
               key = Tensor::normal({keys, d}, 0, 1, random);
  Tensor scores =
      matmul(query, transpose(key)) * static_cast<Real>(scaled ? 1 / std::sqrt(static_cast<double>(d)) : 1);
  scores = scores.detach();
  scores.set_requires_grad();
  const Tensor weights = softmax(scores);
  backward(weights, {.cotangent = Tensor::normal({queries, keys}, 0, 1, random)});
  RandomScores result;
  for (Index i = 0; i < scores.size(); ++i)
    result.variance +=
        std::pow(static_cast<double>(scores.data()[i]), 2) / static_cast<double>(scores.size());
  for (Index i = 0; i < queries; ++i)
    result.largest +=
        static_cast<double>(*std::max_element(weights.data() + i * keys, weights.data() + (i + 1) * keys)) /
        queries;
  for (const Real value : scores.grad().values())
    result.gradient += std::abs(static_cast<double>(value)) / static_cast<double>(scores.size());
  return result;
}

}  // namespace

Experiment scale() {
  const std::vector<double> widths{8, 16, 32, 64, 128, 256, 512};
  return {.id = "C1",
          .claim = "Dot products grow with the width, so the softmax saturates; 1/sqrt(d_k) keeps it alive.",
          .source = "Vaswani et al. 2017, section 3.2.1",
          .published = "Suspected there; the paper has no comparison without the factor.",
          .method =
              "Random queries and keys: the variance of the scores over the width d, the largest weight "
              "among 20 keys, "
              "and the mean size of the softmax's gradient. Then Transformers with one head of width 128 "
              "learn the toy "
              "sentences, with the factor and without.",
          .rule =
              "The first half holds if the variance grows as d to a power between 0.9 and 1.1 without the "
              "factor, and "
              "between -0.1 and 0.1 with it, and the gradient at d = 512 is at least twice as large with it. "
              "The second "
              "half holds if every training with the factor ends with a lower validation loss than every "
              "training "
              "without. The claim holds if both do, and in part if one does.",
          .minutes = 5,
          .takes_corpus = true,
          .variants = {{"scaled"}, {"not scaled", {"model.multi_head.scaled=false"}}},
          .tuning = {{"training.learning_rate=0.001"}, {"training.learning_rate=0.003"}},
          .run =
              [=](const Job& job) {
                const bool scaled = job.variant == "scaled";
                Measurements measured =
                    on_sentences({.settings = {"model.d_model=128", "model.heads=1", "model.dropout=0.05",
                                               "training.steps=1000"}})(job);
                for (const double d : widths) {
                  const RandomScores scores = random_scores(static_cast<Index>(d), scaled, job.seed);
                  measured["variance"].push_back(scores.variance);
                  measured["largest"].push_back(scores.largest);
                  measured["gradient"].push_back(scores.gradient);
                }
                measured["exponent"] = {exponent(widths, measured["variance"])};
                return measured;
              },
          .decide = [](const Results& results) -> Decision {
            const auto at = [&](const char* variant, const char* what, Index i = 0) {
              return results.range(variant, what, i);
            };
            const Range with = at("scaled", "exponent"), without = at("not scaled", "exponent");
            const bool first = std::abs(with.mean) <= 0.1 && std::abs(without.mean - 1) <= 0.1 &&
                               at("scaled", "gradient", 6).mean >= 2 * at("not scaled", "gradient", 6).mean;
            const bool second = above(at("not scaled", "validation_loss"), at("scaled", "validation_loss"));
            return {
                first && second   ? Verdict::holds
                : first || second ? Verdict::holds_in_part
                                  : Verdict::does_not_hold,
                fmt::format("The variance grows as d^{:.2f} without the factor and as d^{:.2f} with it. The "
                            "validation loss of the trained models is {} without and {} with it.",
                            without.mean, with.mean, text(at("not scaled", "validation_loss"), 3),
                            text(at("scaled", "validation_loss"), 3))};
          },
          .columns = {{"exponent of the variance", "exponent", 2},
                      {"largest weight, d = 512", "largest", 2, 6},
                      {"validation loss", "validation_loss", 3},
                      {"BLEU", "bleu"}},
          .figures = {{.title = "Largest weight",
                       .measurement = "largest",
                       .y_label = "largest of 20 weights",
                       .x_label = "width d",
                       .x = widths,
                       .x_logarithmic = true},
                      {.title = "Gradient",
                       .measurement = "gradient",
                       .y_label = "size of the gradient",
                       .x_label = "width d",
                       .x = widths,
                       .x_logarithmic = true,
                       .y_logarithmic = true},
                      {.title = "Training",
                       .measurement = "loss",
                       .y_label = "training loss, nats",
                       .x_label = "steps",
                       .x = steps_of_curve(1000)}}};
}

}  // namespace regard::experiments
