#include "transformer/recurrent/attention_terms.h"

#include "autograd/ops.h"
#include "autograd/ops/ranges.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

/// One key of each query.
struct ChosenKeys {
  std::vector<std::int32_t> pairs;  ///< places in Attention::Result::weights
  std::vector<std::int32_t> keys;   ///< rows of the keys and values
};

/// Calls choose(weights of a query, [1, keys]) for each query; it returns a position.
template <class Choose>
ChosenKeys choose_keys(const nn::Attention::Result& result, const Choose& choose) {
  ChosenKeys chosen;
  for (Index i = 0; i < result.ranges.queries(); ++i) {
    const Index first = result.ranges.offsets[to_size(i)];
    const std::int32_t position = choose(result.weights.view({1, result.ranges.count(i)}, first)).front();
    chosen.pairs.push_back(static_cast<std::int32_t>(first) + position);
    chosen.keys.push_back(static_cast<std::int32_t>(result.ranges.first[to_size(i)]) + position);
  }
  return chosen;
}

}  // namespace

double HardAttention::mean_share() const {
  if (random_.step() >= settings_.mean_steps) return settings_.mean_share;
  return 1 - (1 - settings_.mean_share) * random_.step() / static_cast<double>(settings_.mean_steps);
}

AttentionSamples HardAttention::begin(Index sentences) {
  const double share = mean_share();
  Random random(random_.next_key());
  AttentionSamples samples;
  for (Index i = 0; i < sentences; ++i) samples.takes_mean.push_back(random.uniform() < share ? 1 : 0);
  return samples;
}

Tensor HardAttention::choose(const nn::Attention::Result& soft, const Tensor& value,
                             std::span<const std::int32_t> rows, std::span<const std::int32_t> sentences,
                             AttentionSamples* samples) {
  if (samples == nullptr)
    return settings_.expectation ? soft.context : gather(value, 0, choose_keys(soft, argmax).keys);
  Random random(random_.next_key());
  const ChosenKeys chosen =
      choose_keys(soft, [&](const Tensor& weights) { return multinomial(weights, random); });
  std::vector<std::int32_t> pairs, contexts;  // `contexts`: rows of [means; sampled values]
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool mean = samples->takes_mean[to_size(sentences[k])] != 0;
    contexts.push_back(static_cast<std::int32_t>(mean ? k : rows.size() + k));
    if (mean) continue;
    samples->rows.push_back(rows[k]);
    pairs.push_back(chosen.pairs[k]);
  }
  constexpr auto tiny = Real(1e-30);  // a weight may be 0 after rounding, and 0 log 0 = 0
  if (!pairs.empty()) samples->log_probabilities.push_back(log(gather(soft.weights, 0, pairs)));
  samples->entropies.push_back(-sum(soft.weights * log(soft.weights + tiny)));
  return gather(concat({soft.context, gather(value, 0, chosen.keys)}, 0), 0, contexts);
}

// With the sentence's log-probability r = log p(y | x, a) under the samples a, the gradient of the expected r
// is estimated from one sample (Xu et al. 2015, eq. 12):
//   d r / dW + lambda_r (r - b) d log p(a) / dW + lambda_e dH / dW
// Backpropagation of the cross-entropy gives the first part. This term gives the other two: its value is 0
// and its gradient is theirs, with the sign of a loss. In the paper the baseline b is a moving average of r.
// Here it is the number of tokens times a moving average of r per token, because r grows with the length of
// the sentence. Sentences that take the mean have no samples; their gradients need no estimate.
Tensor HardAttention::term(const AttentionSamples& samples, const std::vector<Index>& offsets,
                           const Tensor& log_probabilities, Index divide_by) {
  const Real b = baseline.data()[0];
  std::vector<Real> advantage(to_size(log_probabilities.size()));  // of the sentence of each row
  double total = 0;
  Index sampled = 0;  // tokens of sentences with samples
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (samples.takes_mean[i] != 0) continue;
    double reward = 0;
    for (Index row = offsets[i]; row < offsets[i + 1]; ++row)
      reward += static_cast<double>(log_probabilities.data()[row]);
    total += reward;
    sampled += offsets[i + 1] - offsets[i];
    const Real length = static_cast<Real>(offsets[i + 1] - offsets[i]);
    for (Index row = offsets[i]; row < offsets[i + 1]; ++row)
      advantage[to_size(row)] = static_cast<Real>(reward) - b * length;
  }
  const auto decay = static_cast<Real>(settings_.baseline_decay);
  Tensor gain = Tensor::full({}, 0);
  if (sampled > 0) {
    baseline.data()[0] = decay * b + (1 - decay) * static_cast<Real>(total / static_cast<double>(sampled));
    const Tensor factors = Tensor::empty({to_index(samples.rows.size())});
    for (std::size_t i = 0; i < samples.rows.size(); ++i)
      factors.data()[i] = static_cast<Real>(settings_.reward_weight) * advantage[to_size(samples.rows[i])];
    gain = sum(concat(samples.log_probabilities, 0) * factors);
  }
  for (const Tensor& entropy : samples.entropies)
    gain = gain + entropy * static_cast<Real>(settings_.entropy_weight);
  const Tensor loss = gain * (-1 / static_cast<Real>(divide_by));
  return loss - loss.detach();
}

void HardAttention::visit(nn::Visitor& visitor) {
  visitor("baseline", baseline);
  visitor(random_);
}

void DoublyStochasticTerm::add(const nn::Attention::Result& found, std::span<const std::int32_t> rows) {
  for (std::size_t k = 0; k < rows.size(); ++k)
    first_weight_[to_size(rows[k])] = size_ + found.ranges.offsets[k];
  weights_.push_back(found.weights);
  size_ += found.weights.size();
}

Tensor DoublyStochasticTerm::term(Real lambda, const std::vector<Index>& memory_offsets,
                                  const std::vector<Index>& target_offsets, Index divide_by) const {
  // A weighted sum of ones, with the positions as queries and the tokens as keys, adds the weights of each
  // position. It reads them position by position; they were found token by token.
  const KeyRanges ranges = all_keys(segments(memory_offsets, target_offsets));
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i + 1 < memory_offsets.size(); ++i)
    for (Index position = 0; position < memory_offsets[i + 1] - memory_offsets[i]; ++position)
      for (Index token = target_offsets[i]; token < target_offsets[i + 1]; ++token)
        order.push_back(static_cast<std::int32_t>(first_weight_[to_size(token)] + position));
  const Tensor ones = Tensor::full({target_offsets.back(), 1}, 1);
  const Tensor sums = weighted_sum(gather(concat(weights_, 0), 0, order), ones, ranges);
  const Tensor missing = Tensor::scalar(1) - sums;
  return sum(missing * missing) * (lambda / static_cast<Real>(divide_by));
}

}}}  // namespace regard::REGARD_PRECISION::transformer
