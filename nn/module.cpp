#include "nn/module.h"

#include <algorithm>
#include <utility>

#include "nn/dropout.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

void Visitor::operator()(const std::string& name, Module& module) {
  const std::string outer = std::exchange(path_, path_ + name + ".");
  module.visit(*this);
  path_ = outer;
}

namespace {

class ParameterCollector : public Visitor {
 public:
  void parameter(const std::string& name, Tensor& tensor) override {
    const bool known = std::ranges::any_of(found, [&](const auto& other) { return other.tensor.is(tensor); });
    if (!known) found.push_back({name, tensor});
  }
  std::vector<NamedParameter> found;
};

template <class Action>
class DropoutVisitor : public Visitor {
 public:
  explicit DropoutVisitor(Action action) : action_(std::move(action)) {}
  void dropout(Dropout& layer) override { action_(layer); }

 private:
  Action action_;
};

}  // namespace

std::vector<NamedParameter> Module::parameters() {
  ParameterCollector collector;
  visit(collector);
  return std::move(collector.found);
}

Index Module::parameter_count() {
  Index count = 0;
  for (const NamedParameter& parameter : parameters()) count += parameter.tensor.size();
  return count;
}

void Module::train() {
  DropoutVisitor visitor([](Dropout& layer) { layer.set_training(true); });
  visit(visitor);
}

void Module::eval() {
  DropoutVisitor visitor([](Dropout& layer) { layer.set_training(false); });
  visit(visitor);
}

void Module::set_random(std::uint64_t seed, std::uint32_t step, std::uint32_t micro_batch) {
  std::uint32_t number = 0;
  DropoutVisitor visitor([&](Dropout& layer) {
    layer.set_random({.seed = seed, .step = step, .micro_batch = micro_batch, .layer = number++});
  });
  visit(visitor);
}

}}}  // namespace regard::REGARD_PRECISION::nn
