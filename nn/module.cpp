#include "nn/module.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "autograd/error.h"
#include "autograd/ops.h"
#include "nn/layers.h"

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

void Module::set_random(std::uint64_t seed, std::uint32_t step, std::uint32_t part) {
  std::uint32_t number = 0;
  DropoutVisitor visitor([&](Dropout& layer) {
    layer.set_random({.seed = seed, .step = step, .part = part, .layer = number++});
  });
  visit(visitor);
}

Tensor xavier_uniform(Index out, Index in, Random& random) {
  const auto bound = static_cast<Real>(std::sqrt(6.0 / static_cast<double>(in + out)));
  return Tensor::uniform({out, in}, -bound, bound, random);
}

Tensor parameter(Tensor value) { return value.set_requires_grad(); }

void HeadMask::switch_off(Index head) {
  if (head < 0 || head >= heads())
    fail("there is no head {}; this attention has {} heads, from 0", head, heads());
  on_[to_size(head)] = false;
}

Tensor HeadMask::operator()(const Tensor& heads) const {
  if (std::find(on_.begin(), on_.end(), false) == on_.end()) return heads;
  const Tensor mask = Tensor::zeros({1, heads.size(1)});
  const Index width = heads.size(1) / this->heads();
  for (Index head = 0; head < this->heads(); ++head)
    if (on_[to_size(head)]) std::fill_n(mask.data() + head * width, width, Real{1});
  return heads * mask;
}

}}}  // namespace regard::REGARD_PRECISION::nn
