#include <algorithm>
#include <array>
#include <cmath>

#include "apps/experiments/measures/measures.h"
#include "apps/head_importance/head_importance.h"
#include "autograd/graph.h"
#include "transformer/attention_layers.h"
#include "transformer/self_attention/transformer.h"

// Measures of context: what the rows of an encoder know of other words, and what its heads have in common.

namespace regard::experiments {

namespace {

using Sentence = std::vector<std::int32_t>;
using transformer::AttentionKind;

/// The rows after the embedding and after each layer, [source tokens, d_model].
std::vector<Tensor> rows_by_layer(transformer::EncoderDecoder& model, const transformer::Source& source) {
  const NoGrad no_grad;
  auto& encoder = dynamic_cast<transformer::TransformerEncoder&>(model.encoder());
  const Segments sentences = segments(source.offsets, source.offsets);
  std::vector<Tensor> rows{encoder.input(source)};
  for (transformer::EncoderLayer& layer : encoder.stack.layers) rows.push_back(layer(rows.back(), sentences));
  return rows;
}

double distance(const Tensor& rows, Index a, Index b) {
  double sum = 0;
  for (Index c = 0; c < rows.size(1); ++c) {
    const auto difference = static_cast<double>(rows.at({a, c}) - rows.at({b, c}));
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

/// For each layer, the part of the changes of a row that comes from other words, and from those at least
/// `far_from` places away, in %. One word of a sentence after the other is replaced by a random word. The
/// first token, which names the language, stays.
struct Mixing {
  std::vector<double> others, far;
};
Mixing mixing_of(transformer::EncoderDecoder& model, const std::vector<Sentence>& sentences) {
  constexpr Index far_from = 4;
  SplitMix64 random(1);
  Mixing mixing;
  double words = 0;
  for (const Sentence& sentence : sentences) {
    const Index n = to_index(sentence.size());
    std::vector<Sentence> changed(sentence.size(), sentence);  // changed[0] is the sentence itself
    for (std::size_t word = 1; word < sentence.size(); ++word)
      while (changed[word][word] == sentence[word]) {
        const Sentence& other = random.pick(sentences);
        changed[word][word] = other[1 + random.below(other.size() - 1)];
      }
    const std::vector<Tensor> rows = rows_by_layer(model, transformer::pack_sources(changed));
    mixing.others.resize(rows.size());
    mixing.far.resize(rows.size());
    words += static_cast<double>(n - 1);
    for (std::size_t layer = 0; layer < rows.size(); ++layer)
      for (Index row = 1; row < n; ++row) {
        double all = 0, others = 0, far = 0;
        for (Index word = 1; word < n; ++word) {
          const double change = distance(rows[layer], word * (n + 1) + row, row);
          all += change;
          others += word != row ? change : 0;
          far += std::abs(word - row) >= far_from ? change : 0;
        }
        mixing.others[layer] += 100 * others / all;
        mixing.far[layer] += 100 * far / all;
      }
  }
  for (auto* const shares : {&mixing.others, &mixing.far})
    for (double& share : *shares) share /= words;
  return mixing;
}

void mixing(Trial& trial) {
  const std::vector<Sentence> sentences = trial.first_pairs().source;
  const Mixing after = mixing_of(trial.trained().model(), sentences);
  Trained untrained = trial.trained_for(1);
  trial.measured = {{"others", after.others},
                    {"far", after.far},
                    {"before", mixing_of(untrained.model(), sentences).others}};
}

/// What the weights of two heads of a layer have in common, the sum of the lesser of both, in %: the mean
/// over all pairs of heads and all queries with at least 4 keys. A decoder's query sees the tokens up to its
/// own.
double overlap_of(const transformer::ForcedPass& pass, AttentionKind kind) {
  double sum = 0, count = 0;
  for (const transformer::AttentionLayer& layer : pass.of(kind))
    for (const Tensor& weights : layer.weights) {  // [heads, queries, keys]
      const Index queries = weights.size(1), keys = weights.size(2);
      for (Index query = kind == AttentionKind::decoder ? 3 : 0; query < queries && keys >= 4; ++query)
        for (Index a = 0; a < weights.size(0); ++a)
          for (Index b = 0; b < a; ++b, ++count)
            for (Index key = 0; key < keys; ++key)
              sum += static_cast<double>(std::min(weights.at({a, query, key}), weights.at({b, query, key})));
    }
  return 100 * sum / count;
}

std::array<double, 3> overlaps(Trained& trained, const translation::ParallelCorpus& corpus) {
  const transformer::ForcedPass pass =
      forced_pass(trained.model(), transformer::make_batch(corpus.source, corpus.target));
  return {overlap_of(pass, AttentionKind::encoder), overlap_of(pass, AttentionKind::decoder),
          overlap_of(pass, AttentionKind::source)};
}

/// A head is idle if the loss of the validation set rises by less than this without it, in nats.
constexpr double idle_below = 0.01;

void overlap(Trial& trial) {
  const translation::ParallelCorpus corpus = trial.first_pairs();
  const auto [encoder, decoder, source] = overlaps(trial.trained(), corpus);
  Trained untrained = trial.trained_for(1);
  const auto [encoder_before, decoder_before, source_before] = overlaps(untrained, corpus);
  const translation::HeadImportance importance =
      head_importance(trial.trained().model(), encoded(trial.trained(), trial.corpus().validation));
  std::vector<double> cost;
  for (const auto& without : importance.heads) cost.push_back(without.loss - importance.loss);
  const auto idle = std::ranges::count_if(cost, [](double nats) { return nats < idle_below; });
  trial.measured = {{"encoder", {encoder}},
                    {"decoder", {decoder}},
                    {"source", {source}},
                    {"before", {(encoder_before + decoder_before + source_before) / 3}},
                    {"idle", {100 * static_cast<double>(idle) / static_cast<double>(cost.size())}},
                    {"cost", cost}};
}

}  // namespace

std::vector<Measure> measures_of_context() {
  return {{"mixing", "others far before",
           "share of other words in the changes of a row, of far ones, and before the training, in %, by "
           "layer (pairs)",
           mixing, "pairs"},
          {"overlap", "encoder decoder source before idle cost",
           "of the weights of two heads, in %; idle heads, in %; loss without each head (pairs)", overlap,
           "pairs"}};
}

}  // namespace regard::experiments
