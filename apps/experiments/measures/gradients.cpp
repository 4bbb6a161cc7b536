#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "apps/experiments/measures/measures.h"
#include "autograd/graph.h"
#include "autograd/ops.h"
#include "transformer/recurrent/recurrent_decoder.h"

// Measures of gradients: by distance, by layer, of hard attention, and of the softmax.

namespace regard::experiments {

namespace {

double norm(std::span<const Real> of) {
  double sum = 0;
  for (const Real value : of) sum += std::pow(static_cast<double>(value), 2);
  return std::sqrt(sum);
}

std::span<const Real> row_of(const Tensor& matrix, Index row) {
  return matrix.values().subspan(to_size(row * matrix.size(1)), to_size(matrix.size(1)));
}

/// The norm of the gradient that the first word of a source gets from the score of the right answer, which is
/// this word, if `others` words come after it. They are random and differ from it, so the gradient of its
/// embedding belongs to the first place. The embedding must be the source's own (model.shared_embeddings).
double gradient_of_first_word(transformer::EncoderDecoder& model, Index others, SplitMix64& random) {
  const Tensor embedding = parameter_named(model, "src_embed.weight");
  const std::size_t words = to_size(embedding.size(0)) - transformer::first_word_id;
  const std::size_t first = random.below(words);
  const auto id = [](std::size_t word) {
    return static_cast<std::int32_t>(transformer::first_word_id + word);
  };
  std::vector<std::int32_t> sentence{id(first)};
  while (to_index(sentence.size()) <= others)
    sentence.push_back(id((first + 1 + random.below(words - 1)) % words));
  transformer::Batch batch;
  batch.append(sentence, std::span(sentence).first(1));
  for (const nn::NamedParameter& parameter : model.parameters()) parameter.tensor.zero_grad();
  const Tensor scores = slice(model.logits(batch), 0, 0, 1);
  slice(scores, 1, sentence[0], sentence[0] + 1).backward();
  return norm(row_of(embedding.grad(), sentence[0]));
}

/// With the first weights, and after the training.
void gradient_by_distance(Trial& trial) {
  transformer::EncoderDecoder first_weights = untrained(trial.job, 52);
  const Index sources = trial.job.many(50, 2);
  const auto measure = [&](const std::string& name, transformer::EncoderDecoder& model) {
    SplitMix64 random = random_for(trial.job, Draw::other);
    std::vector<double>& norms = trial.measured[name];
    for (const double others : trial.options("lengths")) {
      double mean = 0;
      for (Index i = 0; i < sources; ++i)
        mean +=
            gradient_of_first_word(model, static_cast<Index>(others), random) / static_cast<double>(sources);
      norms.push_back(std::log10(std::max(mean, 1e-30)));
    }
    trial.measured[name + "_fall"] = {norms.front() - norms.back()};
  };
  measure("start", first_weights);
  measure("trained", trial.trained().model());
}

/// The gradient that the score of Bahdanau's attention gets (the vector v) if its attention is hard, over
/// some draws of the keys of one batch. The model keeps the hard attention.
struct ScoreGradient {
  double norm = 0;      ///< root of the mean square
  double mean = 0;      ///< norm of the mean
  double variance = 0;  ///< sum over the entries
  double reward = 0;    ///< mean log-probability per target word
};
struct HardDraws {
  double reward_weight = 1;  ///< 0: backpropagation alone
  double baseline = 0;       ///< it does not move
  Index draws = 100;
};
ScoreGradient score_gradient(Trained& trained, const transformer::Batch& batch, const HardDraws& options) {
  auto& decoder = dynamic_cast<transformer::RecurrentDecoder&>(trained.model().decoder());
  decoder.hard.emplace(transformer::HardAttention::Settings{
      .mean_share = 0, .reward_weight = options.reward_weight, .entropy_weight = 0});
  trained.model().train();
  const Tensor v = parameter_named(trained.model(), "decoder.attention.score.v");
  const auto draws = static_cast<double>(options.draws);
  std::vector<double> mean(to_size(v.size()));
  double squares = 0, reward = 0;
  for (Index draw = 0; draw < options.draws; ++draw) {
    decoder.hard->baseline.data()[0] = static_cast<Real>(options.baseline);
    trained.model().set_random(1, static_cast<std::uint32_t>(draw));
    v.zero_grad();
    const Tensor loss = trained.model().loss(batch);
    loss.backward();
    reward -= static_cast<double>(loss.item()) / draws;
    if (!v.grad()) continue;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const auto gradient = static_cast<double>(v.grad().values()[i]);
      mean[i] += gradient / draws;
      squares += gradient * gradient / draws;
    }
  }
  double square_of_mean = 0;
  for (const double gradient : mean) square_of_mean += gradient * gradient;
  return {std::sqrt(squares), std::sqrt(square_of_mean), squares - square_of_mean, reward};
}

void hard_gradient(Trial& trial) {
  Trained early = trial.trained_for(200);
  const Pairs& train = trial.corpus().train;
  const translation::ParallelCorpus pairs =
      encoded(early, {train.begin(), train.begin() + std::min<std::ptrdiff_t>(std::ssize(train), 64)});
  const transformer::Batch batch = transformer::make_batch(pairs.source, pairs.target);
  const Index draws = trial.job.many(100, 2);
  const ScoreGradient alone = score_gradient(early, batch, {.reward_weight = 0, .draws = draws});
  const ScoreGradient moving = score_gradient(early, batch, {.baseline = alone.reward, .draws = draws});
  trial.measured["noise"] = {std::sqrt(moving.variance) / std::max(moving.mean, 1e-30)};
  trial.measured["backpropagation"] = {alone.norm};
}

/// What becomes of random queries and keys of width d, all numbers normal with variance 1: the variance of
/// the scores, the largest weight, and the gradient that the softmax lets through.
void random_queries(Trial& trial) {
  constexpr Index queries = 200, keys = 20;
  const std::vector<double>& widths = trial.options("widths");
  for (const double d : widths) {
    Random random(static_cast<std::uint64_t>(trial.job.seed));
    const Tensor query = Tensor::normal({queries, static_cast<Index>(d)}, 0, 1, random),
                 key = Tensor::normal({keys, static_cast<Index>(d)}, 0, 1, random);
    const double scale = trial.option("scaled", 0) > 0 ? 1 / std::sqrt(d) : 1;
    Tensor scores = (matmul(query, transpose(key)) * static_cast<Real>(scale)).detach();
    scores.set_requires_grad();
    const Tensor weights = softmax(scores);
    backward(weights, {.cotangent = Tensor::normal({queries, keys}, 0, 1, random)});
    const auto all = static_cast<double>(scores.size());
    double variance = 0, largest = 0, gradient = 0;
    for (const Real score : scores.values()) variance += std::pow(static_cast<double>(score), 2) / all;
    for (const Real* row = weights.data(); row < weights.data() + weights.size(); row += keys)
      largest += static_cast<double>(*std::max_element(row, row + keys)) / queries;
    for (const Real value : scores.grad().values()) gradient += std::abs(static_cast<double>(value)) / all;
    trial.measured["variance"].push_back(variance);
    trial.measured["largest"].push_back(largest);
    trial.measured["gradient"].push_back(gradient);
  }
  trial.measured["exponent"] = {exponent(widths, trial.measured["variance"])};
}

/// The norm of the gradient of linear2.weight in the last decoder layer, divided by that in the first one,
/// for random sentences and the first weights.
void gradient_by_layer(Trial& trial) {
  constexpr Index words = 100;
  transformer::EncoderDecoder model = untrained(trial.job, words);
  SplitMix64 random(static_cast<std::uint64_t>(trial.job.seed));
  transformer::Batch batch;
  for (int pair = 0; pair < 32; ++pair) {
    std::vector<std::int32_t> sentence;
    for (int i = 0; i < 16; ++i)
      sentence.push_back(static_cast<std::int32_t>(transformer::first_word_id + random.below(words)));
    batch.append(sentence, sentence);
  }
  model.loss(batch).backward();
  std::vector<double> norms;
  for (const nn::NamedParameter& parameter : model.parameters())
    if (parameter.name.starts_with("decoder.layers.") && parameter.name.ends_with("linear2.weight"))
      norms.push_back(norm(parameter.tensor.grad().values()));
  trial.measured["last_to_first"] = {norms.back() / norms.front()};
}

/// The way from a word to the last row of an encoder without training: the norm of the gradient of that row
/// with respect to the word, by distance, for 40 different words.
void gradient_through_encoder(Trial& trial) {
  constexpr Index words = 40;
  transformer::EncoderDecoder model = untrained(trial.job, words);
  const Tensor embedding = parameter_named(model, "src_embed.weight");
  std::vector<std::int32_t> ids(words);
  std::iota(ids.begin(), ids.end(), transformer::first_word_id);
  transformer::PackedSequences sentence;
  sentence.append(ids);
  Random random(static_cast<std::uint64_t>(trial.job.seed));
  const Tensor last = slice(model.encode(sentence).rows, 0, words - 1, words);
  backward(last, {.cotangent = Tensor::normal(last.shape(), 0, 1, random)});
  for (Index distance = 0; distance < words; ++distance)
    trial.measured["norm"].push_back(norm(row_of(embedding.grad(), ids[to_size(words - 1 - distance)])));
}

}  // namespace

std::vector<Measure> measures_of_gradients() {
  return {
      {"gradient_by_distance", "start trained start_fall trained_fall",
       "of the first of a word and lengths others, before and after the training: log10 of the norm; its "
       "fall",
       gradient_by_distance, "lengths"},
      {"gradient_through_encoder", "norm", "by distance, before the training", gradient_through_encoder, "",
       Model::none},
      {"hard_gradient", "noise backpropagation",
       "standard deviation of the estimate to its mean; norm without the estimate", hard_gradient, "",
       Model::own},
      {"random_queries", "variance largest gradient exponent",
       "by widths; exponent of the variance (scaled: 0 or 1)", random_queries, "widths scaled", Model::none},
      {"gradient_by_layer", "last_to_first", "last to first decoder layer, before the training",
       gradient_by_layer, "", Model::none}};
}

}  // namespace regard::experiments
