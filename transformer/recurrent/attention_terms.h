#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/general_attention/attention.h"
#include "nn/layers.h"
#include "nn/module.h"

// Attention that adds a term to the loss of a training step: hard attention and the doubly stochastic term
// (Xu et al. 2015, section 4).

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The keys that were sampled for the tokens of a batch.
struct AttentionSamples {
  /// For each sentence: 1 if it takes the mean and samples nothing.
  std::vector<std::uint8_t> takes_mean;
  std::vector<std::int32_t> rows;         ///< the token of each sample, as a packed row
  std::vector<Tensor> log_probabilities;  ///< of the samples, in that order; several parts
  std::vector<Tensor> entropies;          ///< of the distributions, summed; several parts
};

/// Hard attention (Xu et al. 2015, section 4.1): the context is the value of one key. In training the key is
/// sampled with the weights as probabilities; afterwards it is the likeliest one, or the context is the mean
/// under the weights. No gradient reaches the scores through a sample, so training estimates it (REINFORCE,
/// Williams 1992). The estimate is noisy, so a share of the sentences takes the mean under the weights in
/// training, too, and ordinary gradients pass through it (Xu et al. 2015, end of section 4.1). A model that
/// begins with samples learns to ignore them, because its weights are still random, so the share may begin
/// with 1.
class HardAttention : public nn::Module {
 public:
  struct Settings {
    bool expectation = false;      ///< outside of training: the mean instead of the likeliest key
    double mean_share = 0.5;       ///< in training: share of the sentences that take the mean
    Index mean_steps = 0;          ///< the share falls from 1 to mean_share, on a line, in these steps
    double reward_weight = 1;      ///< lambda_r
    double entropy_weight = 0.01;  ///< lambda_e
    double baseline_decay = 0.9;
  };
  explicit HardAttention(const Settings& settings) : settings_(settings) {}

  /// Chooses the sentences of a batch that take the mean.
  AttentionSamples begin(Index sentences);
  /// Share of the sentences that take the mean in this step of the training.
  double mean_share() const;

  /// The contexts of the queries; query k is the token in packed row rows[k], in sentence sentences[k].
  /// Samples if `samples` is not null.
  Tensor choose(const nn::Attention::Result& soft, const Tensor& value, std::span<const std::int32_t> rows,
                std::span<const std::int32_t> sentences, AttentionSamples* samples);

  /// The term for the loss, which also moves the baseline. `offsets`: where the sentences of the target
  /// begin. `log_probabilities` are those of the target tokens. The loss is divided by `divide_by` tokens.
  Tensor term(const AttentionSamples& samples, const std::vector<Index>& offsets,
              const Tensor& log_probabilities, Index divide_by);

  void visit(nn::Visitor& visitor) override;
  bool samples_in_training() const { return random_.training(); }

  /// Moving average of the log-probability per target token. It is a parameter, so that it is saved with
  /// the weights, but no gradient reaches it.
  Tensor baseline = Tensor::zeros({1}).set_requires_grad();

 private:
  Settings settings_;
  nn::Dropout random_{0};  ///< gives the keys of the random numbers, and the step
};

/// The doubly stochastic term (Xu et al. 2015, eq. 14), from the attention weights of all target tokens of a
/// batch. The windows are global, so a token has a weight for each position of its source.
class DoublyStochasticTerm {
 public:
  explicit DoublyStochasticTerm(Index tokens) : first_weight_(to_size(tokens)) {}

  /// Keeps the weights of the queries; query k is the token in packed row rows[k].
  void add(const nn::Attention::Result& found, std::span<const std::int32_t> rows);

  /// The term for the loss, from sums that are 1 if the tokens attend to every position equally much
  /// altogether:
  ///   lambda * sum over sources and positions i of (1 - sum over tokens t of alpha_ti)^2
  /// divided by the number of tokens, as the rest of the loss. The source of sequence s has the rows
  /// memory_offsets[s] .. memory_offsets[s + 1], and its target those of target_offsets.
  Tensor term(Real lambda, const std::vector<Index>& memory_offsets, const std::vector<Index>& target_offsets,
              Index divide_by) const;

 private:
  std::vector<Tensor> weights_;      ///< one part for each call of add
  std::vector<Index> first_weight_;  ///< of each token, in the parts one after another
  Index size_ = 0;                   ///< of all parts
};

}}}  // namespace regard::REGARD_PRECISION::transformer
