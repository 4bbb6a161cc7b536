#pragma once

#include <array>
#include <string>
#include <vector>

#include "apps/experiments/task.h"

// What the attention of a model to the source, and other measures, tell of the importance of source words.

namespace regard::experiments {

/// A number for each source word of each target word, [target words][source words], </s> left out.
using WordMatrix = std::vector<std::vector<double>>;

/// The weights of the decoder (last layer, mean of the heads) for each pair of a corpus.
std::vector<WordMatrix> attention_to_words(Trained& trained, const translation::ParallelCorpus& corpus);

/// Erasure: the absolute change of the log-probability of each target word of a pair if a source word is left
/// out.
WordMatrix erasure(Trained& trained, const translation::ParallelCorpus& corpus, std::size_t pair);

/// Gradient x input: the absolute value of x . d log p / d x for each target word and the embedding x of each
/// source word, the linear estimate of its effect. Needs a source without a repeated word, and an embedding
/// of the source of its own (model.shared_embeddings).
WordMatrix gradient_times_input(Trained& trained, const translation::ParallelCorpus& corpus,
                                std::size_t pair);

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

/// The probabilities of the target word after `read` (which begins with <s>), if the scores of this one step
/// are multiplied by `factor` (ScaledScores).
std::vector<double> next_word(transformer::EncoderDecoder& model, const std::vector<std::int32_t>& source,
                              const std::vector<std::int32_t>& read, Real factor);

/// Kendall's tau of two lists: the pairs of places in the same order minus those in the other order, divided
/// by all pairs; 0 without pairs.
double kendall_tau(const std::vector<double>& a, const std::vector<double>& b);

/// The pairs without `count` source words: those with the "lowest weight" or the "highest weight", summed
/// over the target words, or "random" ones. The first source word stays, because it names the language.
Pairs without_words(const Pairs& pairs, const std::vector<WordMatrix>& weights, std::size_t count,
                    const std::string& order, toys::Random& random);

/// For each head of a Transformer's encoder: the share of the words, in %, whose largest weight lies at the
/// offset -2, -1, 0, 1 or 2 from the word itself. Words that have no word at this offset do not count.
std::vector<std::array<double, 5>> offset_shares(Trained& trained, const Pairs& pairs);

/// The gradient that the score of Bahdanau's attention gets (the vector v) if its attention is hard, over
/// some draws of the keys of one batch. The model keeps the hard attention.
struct ScoreGradient {
  double norm = 0;      ///< root of the mean square
  double variance = 0;  ///< sum over the entries
  double reward = 0;    ///< mean log-probability per target word
};
struct HardDraws {
  double reward_weight = 1;  ///< 0: backpropagation alone
  double baseline = 0;       ///< it does not move
  Index draws = 100;
};
ScoreGradient score_gradient(Trained& trained, const transformer::Batch& batch, const HardDraws& options);

}  // namespace regard::experiments
