#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "apps/experiments/measures.h"
#include "apps/translation/translator/alignment.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "transformer/teacher_forcing.h"

// Do attention weights tell which source words a model used?

namespace regard::experiments {

namespace {

using Sentence = std::vector<std::int32_t>;
/// A number for each source word of each target word, [target words][source words], </s> left out.
using WordMatrix = std::vector<std::vector<double>>;

transformer::Batch one_pair(const translation::ParallelCorpus& corpus, std::size_t pair) {
  return transformer::make_batch(std::span(&corpus.source[pair], 1), std::span(&corpus.target[pair], 1));
}

/// The weights of the decoder (last layer, mean of the heads) for each pair of a corpus.
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

/// The absolute change of the log-probability of each target word of a pair if a source word is left out.
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

/// The absolute value of x . d log p / d x for each target word and the embedding x of each source word, the
/// linear estimate of its effect. Needs a source without a repeated word, and an embedding of the source of
/// its own (model.shared_embeddings).
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
    trained.model().generator.cross_entropy(hidden, std::span(&batch.target_output[target], 1)).backward();
    for (const std::int32_t word : corpus.source[pair]) {
      double product = 0;
      for (Index i = word * width; i < (word + 1) * width; ++i)
        product += static_cast<double>(embedding.data()[i]) * static_cast<double>(embedding.grad().data()[i]);
      matrix[target].push_back(std::abs(product));
    }
  }
  return matrix;
}

/// While it exists, the scores of the attention to the source are multiplied by `factor`: with 0 all weights
/// are equal, with -1 the words with the most weight get the least. For Transformers and for recurrent
/// decoders with the score general or additive.
class ScaledScores {
 public:
  ScaledScores(transformer::EncoderDecoder& model, Real factor);
  ScaledScores(const ScaledScores&) = delete;
  ScaledScores& operator=(const ScaledScores&) = delete;
  ~ScaledScores();

 private:
  std::vector<Tensor> parameters_, before_;
};

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

/// The probabilities of the target word after `read` (which begins with <s>), if the scores of this one step
/// are multiplied by `factor`.
std::vector<double> next_word(transformer::EncoderDecoder& model, const Sentence& source,
                              const Sentence& read, Real factor) {
  const auto state = model.begin(transformer::pack_sources(std::span(&source, 1)));
  if (read.size() > 1) state->advance({{0, {read.begin(), read.end() - 1}}});
  const ScaledScores scaled(model, factor);
  const Tensor p = softmax(model.generator(state->advance({{0, {read.back()}}})));
  return {p.values().begin(), p.values().end()};
}

/// The pairs of places in the same order minus those in the other order, divided by all pairs.
double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j, ++pairs) sum += (a[i] > a[j]) == (b[i] > b[j]) ? 1 : -1;
  return pairs > 0 ? sum / pairs : 0;
}

/// Which words go first.
enum class Order { random, lowest_weight, highest_weight };

/// The pairs without `count` source words, whose weights are summed over the target words. The first source
/// word stays, because it names the language.
Pairs without_words(const Pairs& pairs, const std::vector<WordMatrix>& weights, std::size_t count,
                    Order order, SplitMix64& random) {
  Pairs shorter = pairs;
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    std::vector<double> sums(weights[pair].front().size());  // of each source word over the target words
    for (const std::vector<double>& of_word : weights[pair])
      std::ranges::transform(sums, of_word, sums.begin(), std::plus<>());
    std::vector<std::size_t> words(sums.size() - 1);  // the first to go is first
    std::iota(words.begin(), words.end(), 1);
    random.shuffle(words);
    if (order != Order::random)
      std::ranges::sort(words, [&](std::size_t a, std::size_t b) {
        return order == Order::lowest_weight ? sums[a] < sums[b] : sums[a] > sums[b];
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

Index largest(const std::vector<double>& of) { return std::ranges::max_element(of) - of.begin(); }

void erasure_and_weights(Trial& trial) {
  Trained& trained = trial.trained();
  const translation::ParallelCorpus test = encoded(trained, trial.test());
  const std::vector<WordMatrix> weights = attention_to_words(trained, test);
  std::map<std::string, double> sums;
  double words = 0;
  for (std::size_t pair = 0; pair < test.source.size(); ++pair) {
    const Sentence& source = test.source[pair];
    if (std::set(source.begin(), source.end()).size() < source.size()) continue;
    const WordMatrix erased = erasure(trained, test, pair);
    const WordMatrix gradient = gradient_times_input(trained, test, pair);
    Sentence read{transformer::sentence_begin_id};
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
  for (const auto& [name, sum] : sums) trial.measured[name] = {sum / std::max(words, 1.0)};
}

/// Sentences of fewer than six words do not count.
void words_left_out(Trial& trial) {
  const auto order = static_cast<Order>(trial.option("order", 0));
  Pairs pairs;
  std::ranges::copy_if(trial.test(), std::back_inserter(pairs), [](const toys::SentencePair& pair) {
    return std::ranges::count(pair.source, ' ') >= 5;
  });
  for (const auto& [name, preset] :
       {std::pair("bahdanau", "bahdanau2015"), std::pair("transformer", "toy")}) {
    Trained trained = trial.trained_with({std::string("model.preset=") + preset});
    const std::vector<WordMatrix> weights = attention_to_words(trained, encoded(trained, pairs));
    SplitMix64 random(to_size(trial.job.seed));
    for (std::size_t count = 0; count <= 4; ++count)
      trial.measured[name].push_back(
          translate(trained, without_words(pairs, weights, count, order, random)).bleu());
  }
}

}  // namespace

std::vector<Measure> measures_of_explanation() {
  return {{"erasure_and_weights", "weight_erasure gradient_erasure same_word flat inverted",
           "tau of the weights and of the gradient with erasure; the others in %", erasure_and_weights},
          {"words_left_out", "bahdanau transformer",
           "BLEU without 0 to 4 source words (order: 0 random, 1 lowest, 2 highest weight)", words_left_out,
           "order", Model::own}};
}

}  // namespace regard::experiments
