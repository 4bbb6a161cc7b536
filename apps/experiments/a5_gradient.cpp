#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "apps/experiments/task.h"
#include "autograd/graph.h"
#include "autograd/ops.h"

namespace regard::experiments {

namespace {
constexpr Index gradient_letters = 24;

/// The norm of the gradient of the loss of the first target token with respect to each source word, the
/// nearest to the end of the source first. All letters of a source differ, so the row of a letter in the
/// gradient of the embedding belongs to one place.
std::vector<double> gradient_by_distance(Trained& trained, std::uint64_t seed) {
  toys::Random random(seed);
  std::string letters = "abcdefghijklmnopqrstuvwxyz";
  std::vector<char> shuffled(letters.begin(), letters.end());
  random.shuffle(shuffled);
  toys::SentencePair pair;
  for (Index i = 0; i < gradient_letters; ++i)
    pair.source += fmt::format("{}{}", i == 0 ? "" : " ", shuffled[to_size(i)]);
  pair.target = pair.source;
  const translation::ParallelCorpus corpus = encoded(trained, {pair});
  const transformer::Batch batch = transformer::make_batch(corpus.source, corpus.target);
  transformer::EncoderDecoder& model = trained.model();
  Tensor embedding;
  for (const nn::NamedParameter& parameter : model.parameters()) {
    parameter.tensor.zero_grad();
    if (parameter.name == "src_embed.weight") embedding = parameter.tensor;
  }
  cross_entropy(slice(model.logits(batch), 0, 0, 1), std::span(batch.target_output).first(1)).backward();
  std::vector<double> norms;
  for (Index distance = 0; distance < gradient_letters; ++distance) {
    const Index row = batch.source.ids[to_size(gradient_letters - 1 - distance)], width = embedding.size(1);
    double sum = 0;
    for (Index i = 0; i < width; ++i) sum += std::pow(static_cast<double>(embedding.grad().at({row, i})), 2);
    norms.push_back(std::sqrt(sum));
  }
  return norms;
}
}  // namespace

Experiment gradient_path() {
  std::vector<double> places(to_size(gradient_letters));
  std::iota(places.begin(), places.end(), 1);
  return {
      .id = "A5",
      .claim = "Attention shortens the way of the gradient.",
      .source = "lecture notes",
      .published = "",
      .method =
          "The four models are trained for 300 steps on copying 1 to 24 letters. Then the norm of the "
          "gradient of the loss of the first target word with respect to each source word, in the mean "
          "of 50 sources of 24 different letters.",
      .rule =
          "The ratio counts: the mean norm of the eight words farthest from the end of the source, divided "
          "by that of the eight nearest. It holds if, in every seed, it is at least ten times as large for "
          "every model with attention as for the model without, and in part if this is so for some.",
      .minutes = 2,
      .variants = four_models({"model.shared_embeddings=none", "model.dropout=0"}),
      .run =
          [](const Job& job) {
            const toys::Toy toy = toys::sequence_toy(toys::SequenceKind::copy, 1, gradient_letters);
            Trained trained = train(job, corpus_for(job, toy, {10000, 50, 1}), {"training.steps=300"});
            Measurements measured = std::move(trained.training);
            const Index sources = job.many(50, 2);
            for (Index i = 0; i < sources; ++i) {
              const std::vector<double> norms =
                  gradient_by_distance(trained, static_cast<std::uint64_t>(i + 1));
              measured["norm"].resize(norms.size());
              for (std::size_t at = 0; at < norms.size(); ++at)
                measured["norm"][at] += norms[at] / static_cast<double>(sources);
            }
            const std::vector<double>& norm = measured["norm"];
            measured["ratio"] = {std::accumulate(norm.end() - 8, norm.end(), 0.0) /
                                 std::max(std::accumulate(norm.begin(), norm.begin() + 8, 0.0), 1e-30)};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const Range without = results.range("no attention", "ratio");
        int shorter = 0;
        std::string because =
            fmt::format("The ratio of far to near is {:.0f} without attention", without.mean);
        for (const char* const model : {"Bahdanau", "Luong", "Transformer"}) {
          const Range with = results.range(model, "ratio");
          shorter += with.least > 10 * without.most;
          because += fmt::format(", {:.0f} with {}", with.mean, model);
        }
        return {shorter == 3  ? Verdict::holds
                : shorter > 0 ? Verdict::holds_in_part
                              : Verdict::does_not_hold,
                because + "."};
      },
      .columns = {{"gradient far / near", "ratio", 1}},
      .figures = {{.title = "Gradient by distance",
                   .measurement = "norm",
                   .y_label = "norm of the gradient",
                   .x_label = "words from the end of the source",
                   .x = places,
                   .y_logarithmic = true}}};
}

}  // namespace regard::experiments
