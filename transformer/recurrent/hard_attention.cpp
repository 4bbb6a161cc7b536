#include "transformer/recurrent/hard_attention.h"

#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

double HardAttention::mean_share() const {
  if (draws_.step() >= settings_.mean_steps) return settings_.mean_share;
  return 1 - (1 - settings_.mean_share) * draws_.step() / static_cast<double>(settings_.mean_steps);
}

Draws HardAttention::begin(Index sentences) {
  const double share = mean_share();
  Random random(draws_.next_key());
  Draws draws;
  for (Index i = 0; i < sentences; ++i) draws.takes_mean.push_back(random.uniform() < share ? 1 : 0);
  return draws;
}

Tensor HardAttention::choose(const nn::Attention::Result& soft, const Tensor& value,
                             std::span<const std::int32_t> rows, std::span<const std::int32_t> sentences,
                             Draws* draws) {
  if (draws == nullptr)
    return settings_.expectation ? soft.context : gather(value, 0, nn::likeliest_keys(soft).keys);
  Random random(draws_.next_key());
  const nn::ChosenKeys chosen = nn::drawn_keys(soft, random);
  std::vector<std::int32_t> pairs, contexts;  // `contexts`: rows of [means; drawn values]
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool mean = draws->takes_mean[to_size(sentences[k])] != 0;
    contexts.push_back(static_cast<std::int32_t>(mean ? k : rows.size() + k));
    if (mean) continue;
    draws->rows.push_back(rows[k]);
    pairs.push_back(chosen.pairs[k]);
  }
  constexpr auto tiny = Real(1e-30);  // a weight may be 0 after rounding, and 0 log 0 = 0
  if (!pairs.empty()) draws->log_probabilities.push_back(log(gather(soft.weights, 0, pairs)));
  draws->entropies.push_back(-sum(soft.weights * log(soft.weights + tiny)));
  return gather(concat({soft.context, gather(value, 0, chosen.keys)}, 0), 0, contexts);
}

// With the sentence's log-probability r = log p(y | x, a) under the draws a, the gradient of the expected r
// is estimated from one draw (Xu et al. 2015, eq. 12):
//   d r / dW + lambda_r (r - b) d log p(a) / dW + lambda_e dH / dW
// Backpropagation of the cross-entropy gives the first part. This term gives the other two: its value is 0
// and its gradient is theirs, with the sign of a loss. In the paper the baseline b is a moving average of r.
// Here it is the number of tokens times a moving average of r per token, because r grows with the length of
// the sentence. Sentences that take the mean have no draws; their gradients need no estimate.
LossTerm HardAttention::term(const Draws& draws, const std::vector<Index>& offsets) const {
  return [=, settings = settings_, baseline = baseline](const Tensor& log_probabilities, Index divide_by) {
    const Real b = baseline.data()[0];
    std::vector<Real> advantage(to_size(log_probabilities.size()));  // of the sentence of each row
    double total = 0;
    Index drawn = 0;  // tokens of sentences with draws
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      if (draws.takes_mean[i] != 0) continue;
      double reward = 0;
      for (Index row = offsets[i]; row < offsets[i + 1]; ++row)
        reward += static_cast<double>(log_probabilities.data()[row]);
      total += reward;
      drawn += offsets[i + 1] - offsets[i];
      const Real length = static_cast<Real>(offsets[i + 1] - offsets[i]);
      for (Index row = offsets[i]; row < offsets[i + 1]; ++row)
        advantage[to_size(row)] = static_cast<Real>(reward) - b * length;
    }
    const auto decay = static_cast<Real>(settings.baseline_decay);
    Tensor gain = Tensor::full({}, 0);
    if (drawn > 0) {
      baseline.data()[0] = decay * b + (1 - decay) * static_cast<Real>(total / static_cast<double>(drawn));
      const Tensor factors = Tensor::empty({to_index(draws.rows.size())});
      for (std::size_t i = 0; i < draws.rows.size(); ++i)
        factors.data()[i] = static_cast<Real>(settings.reward_weight) * advantage[to_size(draws.rows[i])];
      gain = sum(concat(draws.log_probabilities, 0) * factors);
    }
    for (const Tensor& entropy : draws.entropies)
      gain = gain + entropy * static_cast<Real>(settings.entropy_weight);
    const Tensor loss = gain * (-1 / static_cast<Real>(divide_by));
    return loss - loss.detach();
  };
}

void HardAttention::visit(nn::Visitor& visitor) {
  visitor("baseline", baseline);
  visitor(draws_);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
