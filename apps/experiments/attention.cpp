#include "apps/experiments/attention.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <sstream>

#include "apps/translation/translator/alignment.h"
#include "autograd/error.h"
#include "autograd/ops.h"
#include "transformer/recurrent/recurrent_decoder.h"
#include "transformer/teacher_forcing.h"

namespace regard::experiments {

namespace {

using Sentence = std::vector<std::int32_t>;

transformer::Batch one_pair(const translation::ParallelCorpus& corpus, std::size_t pair) {
  return transformer::make_batch(std::span(&corpus.source[pair], 1), std::span(&corpus.target[pair], 1));
}

Tensor parameter_named(transformer::EncoderDecoder& model, const std::string& name) {
  for (const nn::NamedParameter& parameter : model.parameters())
    if (parameter.name == name) return parameter.tensor;
  fail("this model has no parameter {}", name);
}

}  // namespace

std::vector<WordMatrix> attention_to_words(Trained& trained, const translation::ParallelCorpus& corpus) {
  std::vector<WordMatrix> result;
  for (std::size_t pair = 0; pair < corpus.source.size(); ++pair) {
    const Tensor weights =
        translation::source_attention(trained.model(), one_pair(corpus, pair)).front().weights;
    WordMatrix& matrix = result.emplace_back(corpus.target[pair].size());
    for (std::size_t target = 0; target < matrix.size(); ++target)
      for (std::size_t source = 0; source < corpus.source[pair].size(); ++source)
        matrix[target].push_back(static_cast<double>(weights.at({to_index(target), to_index(source)})));
  }
  return result;
}

WordMatrix erasure(Trained& trained, const translation::ParallelCorpus& corpus, std::size_t pair) {
  const Sentence& source = corpus.source[pair];
  std::vector<Sentence> sources(source.size() + 1, source);  // the whole source is the last
  for (std::size_t word = 0; word < source.size(); ++word)
    sources[word].erase(sources[word].begin() + static_cast<std::ptrdiff_t>(word));
  const std::vector<Sentence> targets(sources.size(), corpus.target[pair]);
  const std::vector<transformer::ForcedScore> scores =
      transformer::score(trained.model(), transformer::make_batch(sources, targets));
  WordMatrix matrix(targets.front().size());
  for (std::size_t target = 0; target < matrix.size(); ++target)
    for (std::size_t word = 0; word < source.size(); ++word)
      matrix[target].push_back(std::abs(scores.back().token_log_probabilities[target] -
                                        scores[word].token_log_probabilities[target]));
  return matrix;
}

// The embedding of word i is x = sqrt(d) w_i, so w_i . dL/dw_i = x . dL/dx.
WordMatrix gradient_times_input(Trained& trained, const translation::ParallelCorpus& corpus,
                                std::size_t pair) {
  const Tensor embedding = parameter_named(trained.model(), "src_embed.weight");
  const Index width = embedding.size(1);
  const transformer::Batch batch = one_pair(corpus, pair);
  WordMatrix matrix(corpus.target[pair].size());
  for (std::size_t target = 0; target < matrix.size(); ++target) {
    embedding.zero_grad();
    const Tensor hidden = slice(trained.model().hidden(batch), 0, to_index(target), to_index(target) + 1);
    linear_cross_entropy(hidden, trained.model().generator, std::span(&batch.target_output[target], 1))
        .backward();
    for (const std::int32_t word : corpus.source[pair]) {
      double product = 0;
      for (Index i = word * width; i < (word + 1) * width; ++i)
        product += static_cast<double>(embedding.data()[i]) * static_cast<double>(embedding.grad().data()[i]);
      matrix[target].push_back(std::abs(product));
    }
  }
  return matrix;
}

// The score additive is v . tanh(...), general is s^T W h, and a Transformer's is q . k with q = W^Q x + b^Q,
// the first third of in_proj. Each is linear in the parameter that is scaled here.
ScaledScores::ScaledScores(transformer::EncoderDecoder& model, Real factor) {
  bool additive = false;
  for (const nn::NamedParameter& parameter : model.parameters())
    additive = additive || parameter.name == "decoder.attention.score.v";
  for (const nn::NamedParameter& parameter : model.parameters()) {
    const bool projection = parameter.name.find("multihead_attn.in_proj") != std::string::npos;
    if (!projection &&
        parameter.name != (additive ? "decoder.attention.score.v" : "decoder.attention.score.query_weight"))
      continue;
    parameters_.push_back(parameter.tensor);
    before_.push_back(parameter.tensor.clone());
    const Index scaled = parameter.tensor.size() / (projection ? 3 : 1);
    for (Real& value : parameter.tensor.values().first(to_size(scaled))) value *= factor;
  }
  if (parameters_.empty()) fail("this model has no attention to the source whose scores can be scaled");
}

ScaledScores::~ScaledScores() {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    std::ranges::copy(before_[i].values(), parameters_[i].values().begin());
}

std::vector<double> next_word(transformer::EncoderDecoder& model, const Sentence& source,
                              const Sentence& read, Real factor) {
  const auto state = model.begin(transformer::pack_sources(std::span(&source, 1)));
  if (read.size() > 1) state->advance({{0, {read.begin(), read.end() - 1}}});
  const ScaledScores scaled(model, factor);
  const Tensor p = softmax(model.project(state->advance({{0, {read.back()}}})));
  return {p.values().begin(), p.values().end()};
}

double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j, ++pairs) sum += (a[i] > a[j]) == (b[i] > b[j]) ? 1 : -1;
  return pairs > 0 ? sum / pairs : 0;
}

Pairs without_words(const Pairs& pairs, const std::vector<WordMatrix>& weights, std::size_t count,
                    const std::string& order, toys::Random& random) {
  Pairs shorter = pairs;
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    std::vector<double> sums(weights[pair].front().size());  // of each source word over the target words
    for (const std::vector<double>& of_word : weights[pair])
      std::ranges::transform(sums, of_word, sums.begin(), std::plus<>());
    std::vector<std::size_t> words(sums.size() - 1);  // the first to go is first
    std::iota(words.begin(), words.end(), 1);
    random.shuffle(words);
    if (order != "random")
      std::ranges::sort(words, [&](std::size_t a, std::size_t b) {
        return order == "lowest weight" ? sums[a] < sums[b] : sums[a] > sums[b];
      });
    words.resize(std::min(count, words.size()));
    std::istringstream source(pairs[pair].source);
    std::string kept, word;
    for (std::size_t i = 0; source >> word; ++i)
      if (std::ranges::count(words, i) == 0) kept += (kept.empty() ? "" : " ") + word;
    shorter[pair].source = kept;
  }
  return shorter;
}

std::vector<std::array<double, 5>> offset_shares(Trained& trained, const Pairs& pairs) {
  const translation::ParallelCorpus corpus = encoded(trained, pairs);
  const transformer::ForcedPass pass =
      forced_pass(trained.model(), transformer::make_batch(corpus.source, corpus.target));
  std::vector<std::array<double, 5>> heads;
  for (const transformer::LayerAttention& layer : pass.weights.encoder_self)
    for (Index head = 0; head < layer.front().size(0); ++head) {
      std::array<double, 5> shares{}, words{};
      for (const Tensor& weights : layer) {
        const Index keys = weights.size(2);
        for (Index query = 0; query < keys; ++query) {
          const Real* const row = weights.data() + (head * keys + query) * keys;
          const Index looks_at = std::max_element(row, row + keys) - row;
          for (Index offset = -2; offset <= 2; ++offset) {
            shares[to_size(offset + 2)] += looks_at == query + offset;
            words[to_size(offset + 2)] += query + offset >= 0 && query + offset < keys;
          }
        }
      }
      for (std::size_t i = 0; i < 5; ++i) shares[i] *= words[i] > 0 ? 100 / words[i] : 0;
      heads.push_back(shares);
    }
  return heads;
}

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
  return {std::sqrt(squares), squares - square_of_mean, reward};
}

}  // namespace regard::experiments
