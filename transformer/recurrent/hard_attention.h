#pragma once

#include <cstdint>
#include <vector>

#include "nn/attention.h"
#include "nn/layers.h"
#include "transformer/encoder_decoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The keys that were drawn for the tokens of a batch.
struct Draws {
  /// For each sentence: 1 if it takes the mean and draws nothing.
  std::vector<std::uint8_t> takes_mean;
  std::vector<std::int32_t> rows;         ///< the token of each draw, as a packed row
  std::vector<Tensor> log_probabilities;  ///< of the draws, in that order; several parts
  std::vector<Tensor> entropies;          ///< of the distributions, summed; several parts
};

/// Hard attention (Xu et al. 2015, section 4.1): the context is the value of one key. In training the key is
/// drawn with the weights as probabilities; afterwards it is the likeliest one, or the context is the mean
/// under the weights. No gradient reaches the scores through a draw, so training estimates it (REINFORCE,
/// Williams 1992). The estimate is noisy, so a share of the sentences takes the mean under the weights in
/// training, too, and ordinary gradients pass through it (Xu et al. 2015, end of section 4.1). A model that
/// begins with draws learns to ignore them, because its weights are still those of chance, so the share may
/// begin with 1.
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
  Draws begin(Index sentences);
  /// Share of the sentences that take the mean in this step of the training.
  double mean_share() const;

  /// The contexts of the queries; query k is the token in packed row rows[k], in sentence sentences[k]. Draws
  /// if `draws` is not null.
  Tensor choose(const nn::Attention::Result& soft, const Tensor& value, std::span<const std::int32_t> rows,
                std::span<const std::int32_t> sentences, Draws* draws);

  /// The term for the loss. `offsets`: where the sentences of the target begin.
  LossTerm term(const Draws& draws, const std::vector<Index>& offsets) const;

  void visit(nn::Visitor& visitor) override;
  bool draws_in_training() const { return draws_.training(); }

  /// Moving average of the log-probability per target token. A parameter without a gradient, so that it is
  /// saved with the weights.
  Tensor baseline = Tensor::zeros({1}).set_requires_grad();

 private:
  Settings settings_;
  nn::Dropout draws_{0};
};

}}}  // namespace regard::REGARD_PRECISION::transformer
