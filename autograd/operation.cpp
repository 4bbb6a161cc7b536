#include "autograd/operation.h"

#include <memory>

namespace regard { inline namespace REGARD_PRECISION {

Tensor Operation::attach(Tensor y, const std::vector<Tensor>& inputs, Backward backward) const {
  auto node = std::make_shared<Node>(name_, y.shape());
  for (const Tensor& input : inputs) node->inputs.push_back(input ? input.node() : nullptr);
  node->backward = std::move(backward);
  y.state_->node = std::move(node);
  return y;
}

}}  // namespace regard::REGARD_PRECISION
