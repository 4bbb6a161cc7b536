#include "apps/experiments/measures/maps.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "apps/experiments/measures/measures.h"
#include "autograd/graph.h"
#include "autograd/ops.h"
#include "nn/optimisers.h"

// The maps W_Q, W_K and W_V of multi-head attention, which are the thirds of in_proj: with other first
// weights, without those of keys and values, and multiplied into one another.

namespace regard::experiments {

namespace {

using Parameters = std::vector<nn::NamedParameter>;

/// The weights, or the biases, of these maps in all attentions.
Parameters maps_of(const Parameters& parameters, const char* name) {
  Parameters maps;
  std::ranges::copy_if(parameters, std::back_inserter(maps),
                       [&](const auto& parameter) { return parameter.name.ends_with(name); });
  return maps;
}

/// Divides each W_Q by sqrt(d_k), where d_k = d_model / heads.
void divide_queries(const Parameters& parameters, Index heads) {
  for (const nn::NamedParameter& weight : maps_of(parameters, "in_proj_weight")) {
    const Index d = weight.tensor.size(1);
    const auto root = static_cast<Real>(std::sqrt(static_cast<double>(d) / static_cast<double>(heads)));
    for (Real& value : weight.tensor.values().first(to_size(d * d))) value /= root;
  }
}

/// Makes W_K and W_V the identity and their biases 0.
void leave_out_maps(const Parameters& weights, const Parameters& biases) {
  for (const nn::NamedParameter& weight : weights) {
    const Index d = weight.tensor.size(1);
    std::ranges::fill(weight.tensor.values().subspan(to_size(d * d)), Real{0});
    for (Index row = d; row < 3 * d; ++row) weight.tensor.data()[row * d + row % d] = 1;
    weight.tensor.values_changed();
  }
  for (const nn::NamedParameter& bias : biases) {
    std::ranges::fill(bias.tensor.values().subspan(to_size(bias.tensor.size() / 3)), Real{0});
    bias.tensor.values_changed();
  }
}

/// Adam with its usual constants. After each update W_K and W_V are the identity again.
class WithoutMaps : public nn::Optimiser {
 public:
  explicit WithoutMaps(const Parameters& parameters)
      : Optimiser(parameters),
        weights_(maps_of(parameters, "in_proj_weight")),
        biases_(maps_of(parameters, "in_proj_bias")),
        moments_{Tensor::zeros({parameters_.size()}), Tensor::zeros({parameters_.size()})} {
    leave_out_maps(weights_, biases_);
  }
  Parameters state() const override { return {{"exp_avg", moments_.first}, {"exp_avg_sq", moments_.second}}; }

 private:
  void update(double learning_rate, double gradient_scale) override {
    nn::adam_update(parameters_.values(), parameters_.gradients(), moments_, steps_, learning_rate, {},
                    gradient_scale);
    leave_out_maps(weights_, biases_);
  }

  Parameters weights_, biases_;
  nn::AdamMoments moments_;
};

/// Multiplies W_K into W_Q and W_V into W_O, and leaves W_K and W_V out. With one head, and W' transposed,
///   (W_Q x + b_Q) . (W_K y + b_K) = (W_K' W_Q x + W_K' b_Q) . y + what is the same for all keys y,
///   W_O (W_V y + b_V) + b_O       = (W_O W_V) y + (W_O b_V + b_O), because the weights sum to 1.
void fold_maps(transformer::EncoderDecoder& model) {
  for (const nn::NamedParameter& weight : maps_of(model.parameters(), "in_proj_weight")) {
    const auto named = [&](const char* name) {
      return parameter_named(model, weight.name.substr(0, weight.name.rfind("in_proj")) + name);
    };
    const Tensor bias = named("in_proj_bias"), out = named("out_proj.weight"),
                 out_bias = named("out_proj.bias");
    const Index d = out.size(0);
    const auto part = [&](Index i) { return slice(weight.tensor, 0, i * d, (i + 1) * d); };
    const auto row = [&](Index i) { return reshape(slice(bias, 0, i * d, (i + 1) * d), {1, d}); };
    const Tensor query = matmul(transpose(part(1)), part(0)), query_bias = matmul(row(0), part(1)),
                 value = matmul(out, part(2)), value_bias = linear(row(2), out, out_bias);
    leave_out_maps({weight}, {{"", bias}});
    for (const auto& [from, to] : {std::pair(query, weight.tensor), std::pair(query_bias, bias),
                                   std::pair(value, out), std::pair(value_bias, out_bias)}) {
      std::ranges::copy(from.values(), to.values().begin());
      to.values_changed();
    }
  }
}

/// How far the logits of a model without training move if its maps are folded. Its biases are random, too.
void folded_maps(Trial& trial) {
  const NoGrad no_grad;
  constexpr Index words = 40;
  transformer::EncoderDecoder model = untrained(trial.job, words);
  Random random(static_cast<std::uint64_t>(trial.job.seed));
  for (const char* const bias : {"in_proj_bias", "out_proj.bias"})
    for (const nn::NamedParameter& parameter : maps_of(model.parameters(), bias))
      std::ranges::copy(Tensor::normal(parameter.tensor.shape(), 0, 1, random).values(),
                        parameter.tensor.values().begin());
  std::vector<std::int32_t> sentence(words);
  std::iota(sentence.begin(), sentence.end(), transformer::first_word_id);
  const transformer::Batch batch = transformer::make_batch({&sentence, 1}, {&sentence, 1});
  const Tensor before = model.logits(batch);
  fold_maps(model);
  const Tensor after = model.logits(batch);
  double worst = 0;
  for (Index i = 0; i < before.size(); ++i)
    worst = std::max(worst, static_cast<double>(std::abs(after.data()[i] - before.data()[i])));
  trial.measured["difference"] = {worst};
}

}  // namespace

translation::MakeOptimiser optimiser_for(const std::string& maps, const translation::Settings& settings) {
  if (maps == "small queries")  // an optimiser is made for weights that have taken no step
    return [heads = settings.model.config.heads](const Parameters& parameters) {
      divide_queries(parameters, heads);
      return std::make_unique<nn::Adam>(parameters);
    };
  if (maps == "identity")
    return [](const Parameters& parameters) { return std::make_unique<WithoutMaps>(parameters); };
  return {};
}

Index fixed_parameters(const std::string& maps, const Parameters& parameters) {
  Index fixed = 0;
  if (maps == "identity")
    for (const char* const part : {"in_proj_weight", "in_proj_bias"})
      for (const nn::NamedParameter& map : maps_of(parameters, part)) fixed += 2 * map.tensor.size() / 3;
  return fixed;
}

std::vector<Measure> measures_of_maps() {
  return {{"folded_maps", "difference",
           "of the logits of an untrained model if W_K and W_V are multiplied into W_Q and W_O", folded_maps,
           "", Model::none}};
}

}  // namespace regard::experiments
