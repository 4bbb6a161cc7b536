#include "nn/module.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nn/dropout.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

void Visitor::operator()(const std::string& name, Module& inner) {
  module(path_ + name, inner);
  const std::string outer = std::exchange(path_, path_ + name + ".");
  inner.visit(*this);
  path_ = outer;
}

namespace {

class ParameterCollector : public Visitor {
 public:
  void parameter(const std::string& name, Tensor& tensor) override { found.push_back({name, tensor}); }
  std::vector<NamedParameter> found;
};

class DropoutCollector : public Visitor {
 public:
  void dropout(Dropout& layer) override { found.push_back(&layer); }
  std::vector<Dropout*> found;
};

}  // namespace

std::vector<NamedParameter> distinct(const std::vector<NamedParameter>& parameters) {
  std::vector<NamedParameter> found;
  for (const NamedParameter& each : parameters)
    if (std::none_of(found.begin(), found.end(),
                     [&](const auto& other) { return other.tensor.is(each.tensor); }))
      found.push_back(each);
  return found;
}

std::vector<NamedParameter> Module::parameters() {
  ParameterCollector collector;
  visit(collector);
  return distinct(collector.found);
}

Index Module::parameter_count() {
  Index count = 0;
  for (const NamedParameter& parameter : parameters()) count += parameter.tensor.size();
  return count;
}

std::vector<Dropout*> Module::dropouts() {
  DropoutCollector collector;
  visit(collector);
  return std::move(collector.found);
}

void Module::train() {
  for (Dropout* const layer : dropouts()) layer->set_training(true);
}

void Module::eval() {
  for (Dropout* const layer : dropouts()) layer->set_training(false);
}

void Module::set_random(std::uint64_t seed, std::uint32_t step, std::uint32_t part) {
  nn::set_random(dropouts(), {.seed = seed, .step = step, .part = part});
}

Tensor xavier_uniform(Index out, Index in, Random& random) {
  const auto bound = static_cast<Real>(std::sqrt(6.0 / static_cast<double>(in + out)));
  return Tensor::uniform({out, in}, -bound, bound, random);
}

Tensor parameter(Tensor value) { return value.set_requires_grad(); }

}}}  // namespace regard::REGARD_PRECISION::nn
