// Hard attention: the estimator of its gradient is unbiased, which all samples of a tiny model show; and it
// is needed, because no gradient passes through a sample.
#include <algorithm>
#include <map>
#include <numeric>

#include "tests/catch.h"
#include "tests/transformer/recurrent/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

RecurrentConfig hard(const HardAttention::Settings& settings) {
  RecurrentConfig config = small_recurrent("bahdanau2015");
  config.d_model = 4;
  config.attention.kind = RecurrentAttentionKind::hard;
  config.attention.hard = settings;
  return config;
}

RecurrentDecoder& decoder_of_recurrent(EncoderDecoder& model) {
  return dynamic_cast<RecurrentDecoder&>(model.decoder());
}

const Batch& tiny_batch() {
  static const Batch batch = make_batch({{4, 5}}, {{6, 7}});  // 3 positions, 3 steps: 27 samples
  return batch;
}

/// The samples under this seed.
AttentionSamples samples_of(EncoderDecoder& model, std::uint64_t seed) {
  model.set_random(seed, 1);
  RecurrentDecoder& decoder = decoder_of_recurrent(model);
  const Memory memory = model.encode(tiny_batch().source);
  RecurrentDecoder::State state = decoder.first_state(memory);
  AttentionSamples samples = decoder.hard->begin(1);
  decoder.run({tiny_batch().target_input, {0}, {0}, decoder.prepare(memory)}, state,
              RecurrentDecoder::Keep::nothing, {.samples = &samples});
  return samples;
}

/// log p(a) of each sample under this seed.
Numbers log_p(EncoderDecoder& model, std::uint64_t seed) {
  return numbers(concat(samples_of(model, seed).log_probabilities, 0));
}

double total(const Numbers& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// The loss under this seed, with a fixed baseline.
Tensor loss(EncoderDecoder& model, std::uint64_t seed, Real baseline = -0.7) {
  model.set_random(seed, 1);
  decoder_of_recurrent(model).hard->baseline.data()[0] = baseline;
  return model.loss(tiny_batch());
}

/// Copies the parameters of a model with soft attention. A model with hard attention has one more, the
/// baseline.
void copy_parameters(EncoderDecoder& soft, EncoderDecoder& hard_model) {
  for (const auto& [name, tensor] : soft.parameters())
    for (const auto& [other, value] : hard_model.parameters())
      if (other == name) std::ranges::copy(tensor.values(), value.data());
}

/// The loss of two sentences.
Tensor loss_of_two(EncoderDecoder& model) {
  model.set_random(1, 1);
  return model.loss(make_batch({{4, 5, 6}, {7}}, {{6, 7}, {8, 9, 10}}));
}

/// A seed for each of the 27 combinations of samples.
std::vector<std::uint64_t> seeds_of_all_samples(EncoderDecoder& model) {
  std::map<Numbers, std::uint64_t> found;
  double probability = 0;
  for (std::uint64_t seed = 1; found.size() < 27 && seed < 5000; ++seed) {
    const Numbers log_probabilities = log_p(model, seed);
    if (found.emplace(log_probabilities, seed).second) probability += std::exp(total(log_probabilities));
  }
  CHECK(found.size() == 27);
  CHECK(probability == Approx(1).epsilon(1e-12));
  std::vector<std::uint64_t> seeds;
  for (const auto& [log_probabilities, seed] : found) seeds.push_back(seed);
  return seeds;
}

/// The expectation over all samples of log p(y | a), per token: minus the expected loss.
double expected_reward(EncoderDecoder& model, const std::vector<std::uint64_t>& seeds) {
  double sum = 0;
  for (const std::uint64_t seed : seeds) {
    const double probability = std::exp(total(log_p(model, seed)));
    sum -= probability * loss(model, seed).item();
  }
  return sum;
}

/// The largest difference between the mean of the estimator and the gradient of the expected reward by
/// central differences, relative to the largest gradient.
double bias(const HardAttention::Settings& settings) {
  EncoderDecoder model = make_recurrent_model(hard(settings), 1);
  const std::vector<std::uint64_t> seeds = seeds_of_all_samples(model);
  std::vector<Tensor> mean;
  for (const Tensor& parameter : tensors(model)) mean.push_back(Tensor::zeros(parameter.shape()));
  for (const std::uint64_t seed : seeds) {
    const double probability = std::exp(total(log_p(model, seed)));
    loss(model, seed).backward();
    const std::vector<Tensor> parameters = tensors(model);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (const Tensor gradient = parameters[i].grad())
        for (Index j = 0; j < gradient.size(); ++j) mean[i].data()[j] -= probability * gradient.data()[j];
      parameters[i].zero_grad();
    }
  }
  double difference = 0, scale = 0;
  for (const char* name : {"decoder.attention.score.query_weight", "decoder.attention.score.v",
                           "encoder.rnn.weight_hh_l0", "decoder.output.weight"}) {
    const std::vector<std::string> all = names(model);
    const auto i = to_size(std::ranges::find(all, name) - all.begin());
    const Tensor parameter = tensors(model)[i];
    for (Index j = 0; j < std::min<Index>(parameter.size(), 6); ++j) {
      constexpr double step = 1e-5;
      Real& value = parameter.data()[j];
      const Real before = value;
      value = before + step;
      const double above = expected_reward(model, seeds);
      value = before - step;
      const double below = expected_reward(model, seeds);
      value = before;
      const double expected = (above - below) / (2 * step);
      difference = std::max(difference, std::abs(mean[i].data()[j] - expected));
      scale = std::max(scale, std::abs(expected));
    }
  }
  return difference / scale;
}

}  // namespace

TEST_CASE(
    "hard attention: the mean of the estimator over all samples is the gradient of the expected reward") {
  CHECK(bias({.mean_share = 0, .entropy_weight = 0}) < 1e-6);
  CHECK(bias({.mean_share = 0, .reward_weight = 0, .entropy_weight = 0}) >
        1e-2);                                                   // without REINFORCE it is not
  CHECK(bias({.mean_share = 0, .entropy_weight = 0.3}) > 1e-3);  // the entropy term is another objective
}

TEST_CASE("hard attention: what baseline and entropy add to the gradient of one sample") {
  EncoderDecoder plain = make_recurrent_model(hard({.mean_share = 0, .entropy_weight = 0}), 1),
                 with_entropy = make_recurrent_model(hard({.mean_share = 0, .entropy_weight = 0.3}), 1);
  const auto gradient_of_v = [](EncoderDecoder& model, const Tensor& objective) {
    const Tensor v = tensors(*decoder_of_recurrent(model).attention->score).back();
    objective.backward();
    const Tensor gradient = v.grad().clone();
    v.zero_grad();
    return gradient;
  };
  constexpr Real tokens = 3;  // of the one sentence: its length, and the divisor of the loss
  const Tensor of_baselines =
      gradient_of_v(plain, loss(plain, 2, -0.4)) - gradient_of_v(plain, loss(plain, 2, -2));
  const Tensor total_log_p = sum(concat(samples_of(plain, 2).log_probabilities, 0));
  CHECK(error(of_baselines, gradient_of_v(plain, total_log_p) * (Real(1.6) * tokens / tokens)) < 1e-12);

  Tensor entropy = Tensor::scalar(0);
  for (const Tensor& part : samples_of(plain, 2).entropies) entropy = entropy + part;
  CHECK(entropy.item() > 0);
  const Tensor of_entropy =
      gradient_of_v(with_entropy, loss(with_entropy, 2)) - gradient_of_v(plain, loss(plain, 2));
  CHECK(error(of_entropy, gradient_of_v(plain, entropy) * (Real(-0.3) / tokens)) < 1e-12);
}

TEST_CASE("hard attention: no gradient reaches the score through a sample") {
  for (const bool reinforce : {false, true}) {
    EncoderDecoder model = make_recurrent_model(
        hard({.mean_share = 0, .reward_weight = reinforce ? 1.0 : 0.0, .entropy_weight = 0}), 2);
    loss(model, 1).backward();
    const Tensor gradient = tensors(*decoder_of_recurrent(model).attention->score).back().grad();
    double largest = 0;
    if (gradient)
      for (const Real value : gradient.values())
        largest = std::max(largest, std::abs(static_cast<double>(value)));
    CHECK((largest > 0) == reinforce);
  }
}

TEST_CASE("hard attention: the estimator does not change the value of the loss, and moves the baseline") {
  EncoderDecoder with = make_recurrent_model(hard({.mean_share = 0}), 3),
                 without = make_recurrent_model(hard({.mean_share = 0, .reward_weight = 0}), 3);
  CHECK(loss(with, 4).item() == loss(without, 4).item());
  CHECK(decoder_of_recurrent(with).hard->baseline.item() ==
        Approx(0.9 * -0.7 - 0.1 * loss(with, 4).item()).epsilon(1e-12));
}

TEST_CASE("hard attention: after training the likeliest key or the mean takes the place of the sample") {
  EncoderDecoder likeliest = make_recurrent_model(hard({}), 5),
                 mean = make_recurrent_model(hard({.expectation = true}), 5);
  RecurrentConfig soft_config = hard({});
  soft_config.attention.kind = RecurrentAttentionKind::soft;
  EncoderDecoder soft = make_recurrent_model(soft_config, 5);
  for (EncoderDecoder* hard_model : {&likeliest, &mean}) copy_parameters(soft, *hard_model);
  const Batch batch = make_batch({{4, 5, 6}, {7}}, {{6, 7}, {8, 9, 10}});
  for (EncoderDecoder* model : {&likeliest, &mean, &soft}) model->eval();
  CHECK(same_bits(mean.logits(batch), soft.logits(batch)));
  CHECK(error(likeliest.logits(batch), soft.logits(batch)) > 1e-3);
  CHECK(same_bits(likeliest.logits(batch), likeliest.logits(batch)));
}

TEST_CASE("hard attention: sentences that take the mean train as with soft attention") {
  RecurrentConfig all_mean = hard({.mean_share = 1, .entropy_weight = 0});
  all_mean.dropout = all_mean.embedding_dropout = 0;  // the samples would change the masks
  RecurrentConfig soft_config = all_mean;
  soft_config.attention.kind = RecurrentAttentionKind::soft;
  const auto gradient_of_v = [](EncoderDecoder& model) {
    loss_of_two(model).backward();
    return tensors(*decoder_of_recurrent(model).attention->score).back().grad();
  };
  EncoderDecoder mean = make_recurrent_model(all_mean, 6), soft = make_recurrent_model(soft_config, 6);
  copy_parameters(soft, mean);
  CHECK(error(gradient_of_v(mean), gradient_of_v(soft)) < 1e-12);
  RecurrentConfig half_mean = all_mean;
  half_mean.attention.hard.mean_share = 0.5;
  EncoderDecoder half = make_recurrent_model(half_mean, 6);
  copy_parameters(soft, half);
  CHECK(error(gradient_of_v(half), gradient_of_v(soft)) > 1e-3);
  // The mean of many batches has about as many sentences of each kind.
  Index means = 0;
  for (const std::uint8_t takes : decoder_of_recurrent(half).hard->begin(10'000).takes_mean) means += takes;
  CHECK(means > 4'700);
  CHECK(means < 5'300);
}

TEST_CASE("hard attention: the share of means falls from 1 in the first steps") {
  RecurrentConfig config = hard({.mean_share = 0.2, .mean_steps = 10});
  EncoderDecoder falling = make_recurrent_model(config, 6);
  config.attention.hard.mean_steps = 0;
  EncoderDecoder constant = make_recurrent_model(config, 6);
  const auto share = [](EncoderDecoder& model, std::uint32_t step) {
    model.set_random(1, step, 0);
    return decoder_of_recurrent(model).hard->mean_share();
  };
  CHECK(share(falling, 0) == 1);
  CHECK(share(falling, 5) == Approx(0.6));
  CHECK(share(falling, 10) == Approx(0.2));
  CHECK(share(falling, 1000) == Approx(0.2));
  CHECK(share(constant, 0) == Approx(0.2));
}
