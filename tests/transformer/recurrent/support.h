#pragma once

// What the tests of recurrent models share.

#include <map>

#include "tests/catch.h"
#include "tests/transformer/support.h"
#include "transformer/recurrent/recurrent_decoder.h"
#include "transformer/recurrent/recurrent_encoder.h"

namespace regard::tests {

/// No dropout, width 6.
inline RecurrentConfig small_recurrent(const std::string& preset) {
  RecurrentConfig config = recurrent_preset(preset);
  config.d_model = 6;
  config.embedding_dropout = config.dropout = 0;
  config.attention.positions = 12;
  return config;
}

/// A model over a vocabulary of 11 whose parameters are all away from where they start.
inline EncoderDecoder make_recurrent_model(const RecurrentConfig& config, std::uint64_t seed,
                                           double amount = 0.8) {
  Random random(seed);
  EncoderDecoder model = make_recurrent(
      config, {.source_vocabulary = 11, .target_vocabulary = 11, .width = config.d_model}, random);
  randomise(model, seed + 1, amount);
  return model;
}

/// Gives the model the weights of PyTorch's, which are the fixtures NAME/weights/…, and compares logits, loss
/// and all gradients with the other fixtures of this name.
inline void check_against_pytorch(EncoderDecoder& model, const Batch& batch, const std::string& name,
                                  const std::map<std::string, Tensor>& fixtures) {
  INFO(name);
  const std::vector<nn::NamedParameter> parameters = model.parameters();
  const auto is_weight = [&](const auto& entry) { return entry.first.starts_with(name + "/weights/"); };
  CHECK(to_index(parameters.size()) == std::ranges::count_if(fixtures, is_weight));
  for (const auto& [parameter, tensor] : parameters) {
    INFO(parameter);
    const Tensor& weight = fixtures.at(name + "/weights/" + parameter);
    REQUIRE(tensor.size() == weight.size());
    std::ranges::copy(weight.values(), tensor.data());
  }
  CHECK(error(model.logits(batch), fixtures.at(name + "/logits")) < 1e-11);
  const Tensor loss = model.loss(batch, {.label_smoothing = 0.1});
  CHECK(loss.item() == Approx(fixtures.at(name + "/loss").item()).epsilon(1e-12));
  loss.backward();
  for (const auto& [parameter, tensor] : parameters) {
    INFO(parameter);
    const Tensor gradient = tensor.grad() ? tensor.grad() : Tensor::zeros(tensor.shape());
    const Numbers expected = numbers(fixtures.at(name + "/gradients/" + parameter));
    // The query's part of linear_concat has no gradient; both sides have rounding errors of it.
    if (std::ranges::all_of(expected, [](double x) { return std::abs(x) < 1e-15; }))
      CHECK(error(numbers(gradient), Numbers(expected.size(), 0)) < 1e-15);
    else
      CHECK(error(numbers(gradient), expected) < 1e-10);
  }
}

}  // namespace regard::tests
