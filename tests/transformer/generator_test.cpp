// The output projection: with a bias, and with a softmax that leaves out <pad>.
#include <algorithm>

#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"
#include "transformer/teacher_forcing.h"

using namespace regard;
using namespace regard::tests;

namespace {

Config with_bias(bool bias) {
  Config config = small_config();
  config.generator_bias = bias;
  return config;
}

/// A model that never predicts the first `left_out` tokens.
EncoderDecoder make_excluding(const Config& config, std::uint64_t seed, Index left_out) {
  EncoderDecoder model = regard::tests::make_model(config, seed);
  if (left_out > 0) std::fill_n(model.generator.bias.data(), left_out, never_predicted);
  return model;
}

const Batch& a_batch() {
  static const Batch batch = make_batch({{4, 5, 6}, {7}}, {{8, 9}, {10, 3, 4}});
  return batch;
}

/// log p of each token for each target token, by plain loops: hidden W^T + b, without the first
/// `left_out` tokens.
Numbers naive_log_probabilities(EncoderDecoder& model, Index left_out) {
  const NoGrad no_grad;
  const Tensor hidden = model.hidden(a_batch());
  const Index width = hidden.size(1), vocabulary = model.target_vocabulary();
  Numbers all;
  for (Index row = 0; row < hidden.size(0); ++row) {
    Numbers logits;
    double sum = 0;
    for (Index token = 0; token < vocabulary; ++token) {
      double logit = model.generator.bias && token >= left_out ? model.generator.bias.at({token}) : 0;
      for (Index i = 0; i < width; ++i) logit += hidden.at({row, i}) * model.generator.weight.at({token, i});
      logits.push_back(logit);
      if (token >= left_out) sum += std::exp(logit);
    }
    for (const double logit : logits) all.push_back(logit - std::log(sum));
  }
  return all;
}

/// Cross-entropy with the target distribution (1 - smoothing) onehot + smoothing / tokens.
double naive_loss(EncoderDecoder& model, Index left_out, double smoothing) {
  const Numbers all = naive_log_probabilities(model, left_out);
  const Index vocabulary = model.target_vocabulary();
  const std::vector<std::int32_t>& targets = a_batch().target_output;
  double loss = 0;
  for (std::size_t row = 0; row < targets.size(); ++row)
    for (Index token = left_out; token < vocabulary; ++token) {
      const double share = (targets[row] == token ? 1 - smoothing : 0) +
                           smoothing / static_cast<double>(vocabulary - left_out);
      loss -= share * all[row * to_size(vocabulary) + to_size(token)];
    }
  return loss / static_cast<double>(targets.size());
}

}  // namespace

TEST_CASE("the generator has no bias and predicts every token, unless it is told") {
  EncoderDecoder plain = make_model(small_config(), 1), biased = make_excluding(with_bias(true), 1, 0);
  CHECK_FALSE(plain.generator.bias);
  const std::vector<std::string> without = names(plain), with = names(biased);
  CHECK(with.size() == without.size() + 1);
  CHECK(std::ranges::count(with, "generator.bias") == 1);
  CHECK(biased.generator.bias.shape() == Shape{11});
  Random random(1);
  EncoderDecoder fresh = make_transformer(with_bias(true), random);
  for (const Real value : fresh.generator.bias.values()) CHECK(value == 0);
}

TEST_CASE("loss, logits and scores with a bias and without some tokens are those of plain loops") {
  for (const auto& [bias, left_out] :
       std::vector<std::pair<bool, Index>>{{false, 0}, {true, 0}, {true, 1}, {true, 2}}) {
    EncoderDecoder model = make_excluding(with_bias(bias), 3, left_out);
    model.eval();
    for (const double smoothing : {0.0, 0.1})
      CHECK(model.loss(a_batch(), {.label_smoothing = smoothing}).item() ==
            Approx(naive_loss(model, left_out, smoothing)).epsilon(1e-12));
    const Numbers expected = naive_log_probabilities(model, left_out);
    const Tensor found = log_softmax(model.logits(a_batch()));
    for (Index row = 0; row < found.size(0); ++row)
      for (Index token = left_out; token < found.size(1); ++token)
        CHECK(found.at({row, token}) ==
              Approx(expected[to_size(row * found.size(1) + token)]).epsilon(1e-12));
    for (Index row = 0; row < found.size(0); ++row)
      for (Index token = 0; token < left_out; ++token) CHECK(std::exp(found.at({row, token})) == 0);
    const std::vector<ForcedScore> scores = score(model, a_batch());
    double total = 0;
    for (const ForcedScore& of_pair : scores) total += of_pair.log_probability;
    CHECK(-total / 7 == Approx(naive_loss(model, left_out, 0)).epsilon(1e-12));
  }
}

TEST_CASE("a row of <pad> that is not predicted changes nothing and learns nothing") {
  Config config = with_bias(true);
  config.shared_embeddings = SharedEmbeddings::none;
  EncoderDecoder model = make_excluding(config, 4, 1);
  for (const double smoothing : {0.0, 0.1}) {
    model.loss(a_batch(), {.label_smoothing = smoothing}).backward();
    for (Index i = 0; i < 8; ++i) CHECK(model.generator.weight.grad().at({0, i}) == 0);
    CHECK(model.generator.bias.grad().at({0}) == 0);
    CHECK(model.generator.bias.grad().at({1}) != 0);
  }
  nn::Adam(model.parameters()).step({});
  CHECK(model.generator.bias.at({0}) == never_predicted);
  model.eval();
  const double before = model.loss(a_batch()).item();
  const auto translations = [&] { return beam_search(model, a_batch().source, {.beam = 3, .n_best = 3}); };
  const auto found = translations();
  for (Index i = 0; i < 8; ++i) model.generator.weight.data()[i] = 50;  // the row of <pad>
  CHECK(model.loss(a_batch()).item() == before);
  const auto again = translations();
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(again[i][k].tokens == found[i][k].tokens);
      CHECK(again[i][k].log_probability == found[i][k].log_probability);
    }
}

TEST_CASE("a search finds the tokens that the bias favours, and gives the score of the model") {
  EncoderDecoder model = make_excluding(with_bias(true), 5, 1);
  model.eval();
  model.generator.bias.data()[7] = 40;
  const SearchOptions options{.beam = 2, .alpha = 0, .max_length = 3};
  const auto found = beam_search(model, a_batch().source, options);
  for (const auto& of_sentence : found) CHECK(of_sentence.front().tokens == Ids{7, 7, 7});
  const std::vector<ForcedScore> scores = score(model, make_batch({{4, 5, 6}, {7}}, {{7, 7, 7}, {7, 7, 7}}));
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i].front().log_probability == Approx(scores[i].log_probability).epsilon(1e-12));
}

TEST_CASE("a bias that does not fit the projection is refused") {
  const Embeddings embeddings = [] {
    Random random(1);
    Embeddings made = make_embeddings({.source_vocabulary = 11, .target_vocabulary = 11, .width = 8}, random);
    made.generator.bias = Tensor::zeros({10});
    return made;
  }();
  Random random(1);
  const auto make = [&] {
    return EncoderDecoder(std::make_unique<TransformerEncoder>(small_config(), embeddings.source, random),
                          std::make_unique<TransformerDecoder>(small_config(), embeddings.target, random),
                          embeddings.generator);
  };
  CHECK_ERROR(make(), "bias of shape [10] must be [11]");
}

TEST_CASE("without a weight, the rows are the logits") {
  const Generator none({});
  Random random(6);
  Tensor rows = Tensor::normal({4, 11}, 0, 1, random);
  Tensor unit = Tensor::zeros({11, 11});
  for (Index i = 0; i < 11; ++i) unit.data()[i * 11 + i] = 1;
  CHECK(std::ranges::equal(none(rows).values(), rows.values()));
  const std::vector<std::int32_t> targets{3, 0, 10, 7};
  for (const double smoothing : {0.0, 0.1})
    CHECK(none.cross_entropy(rows, targets, {.label_smoothing = smoothing}).item() ==
          Approx(Generator(unit).cross_entropy(rows, targets, {.label_smoothing = smoothing}).item())
              .epsilon(1e-12));
}
