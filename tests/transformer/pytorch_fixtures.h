#pragma once

// Models that are compared with PyTorch's numbers. tests/fixtures/README.md says what is in the files.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "autograd/graph.h"
#include "autograd/ops.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"

namespace regard::tests {

struct Fixtures {
  explicit Fixtures(const std::string& name)
      : tensors(nn::load_safetensors(REGARD_FIXTURES "/pytorch/" + name + ".safetensors")) {
    if (std::ifstream json(REGARD_FIXTURES "/pytorch/" + name + ".json"); json)
      description = nlohmann::json::parse(json);
  }

  std::map<std::string, Tensor> tensors;
  nlohmann::json description;
};

/// The numbers of one model, whose names begin with `prefix`.
struct Expected {
  const Tensor& operator()(const std::string& name) const { return fixtures.tensors.at(prefix + name); }
  bool has(const std::string& name) const { return fixtures.tensors.contains(prefix + name); }

  /// Of the parameters in one group: weights/, gradients/ or adam3/.
  std::set<std::string> names(const std::string& group) const {
    std::set<std::string> result;
    for (const auto& [name, tensor] : fixtures.tensors)
      if (name.starts_with(prefix + group)) result.insert(name.substr((prefix + group).size()));
    return result;
  }

  /// Gives the model PyTorch's weights, where there are any.
  void load(EncoderDecoder& model) const {
    for (const auto& [name, tensor] : model.parameters())
      if (has("weights/" + name)) std::ranges::copy((*this)("weights/" + name).values(), tensor.data());
  }

  const Fixtures& fixtures;
  std::string prefix;
};

/// Compares names and shapes of the parameters, memory, logits, losses and all gradients, with the projection
/// and the loss in one operation and in two.
inline void check_against_pytorch(EncoderDecoder model, const Batch& batch, const Expected& expected) {
  INFO(expected.prefix);
  expected.load(model);
  const std::vector<std::string> parameters = names(model);
  const std::set<std::string> ours(parameters.begin(), parameters.end());
  CHECK(ours == expected.names("weights/"));
  CHECK(ours == expected.names("gradients/"));
  for (const char* memory : {"encoder_output", "memory"})
    if (expected.has(memory)) CHECK(error(model.encode(batch.source).rows, expected(memory)) < 1e-12);
  CHECK(error(model.logits(batch), expected("logits")) < 1e-11);
  if (expected.has("loss_unsmoothed"))
    CHECK(error(model.loss(batch), numbers(expected("loss_unsmoothed"))) < 1e-12);
  const CrossEntropyOptions options{.label_smoothing = 0.1};
  for (const bool fused : {true, false}) {
    if (!fused && !expected.has("loss_unsmoothed")) continue;  // the decoder may add a term to the loss
    const Tensor loss =
        fused ? model.loss(batch, options) : cross_entropy(model.logits(batch), batch.target_output, options);
    CHECK(loss.item() == Approx(expected("loss").item()).epsilon(1e-12));
    for (const Tensor& tensor : tensors(model)) tensor.zero_grad();
    loss.backward();
    for (const auto& [parameter, tensor] : model.parameters()) {
      INFO(parameter);
      CHECK(tensor.shape() == expected("weights/" + parameter).shape());
      const Tensor gradient = tensor.grad() ? tensor.grad() : Tensor::zeros(tensor.shape());
      const Numbers exact = numbers(expected("gradients/" + parameter));
      // The query's part of linear_concat has no gradient; both sides have rounding errors of it.
      if (std::ranges::all_of(exact, [](double x) { return std::abs(x) < 1e-15; }))
        CHECK(error(numbers(gradient), Numbers(exact.size(), 0)) < 1e-15);
      else
        CHECK(error(numbers(gradient), exact) < 1e-10);
    }
  }
}

inline Batch batch_of(const nlohmann::json& description) {
  return make_batch(description.at("sources").get<std::vector<Ids>>(),
                    description.at("targets").get<std::vector<Ids>>());
}

}  // namespace regard::tests
