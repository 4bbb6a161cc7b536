#include "autograd/node.h"

#include <algorithm>
#include <atomic>
#include <iterator>

namespace regard { inline namespace REGARD_PRECISION {

namespace {
std::atomic<std::uint64_t> nodes_created{0};

std::size_t bytes(const Shape& shape) { return to_size(shape.size()) * sizeof(Real); }
}  // namespace

Node::Node(const char* name, Shape output_shape)
    : op(name), shape(std::move(output_shape)), number(++nodes_created) {}

/// Releases a chain of nodes of any length without recursion: before a node that nobody else holds is
/// destroyed, its inputs are moved into our list.
Node::~Node() {
  // The backward function goes first. It captured tensors, whose nodes `inputs` holds too. So no node is
  // destroyed here.
  backward = nullptr;
  std::vector<std::shared_ptr<Node>> to_release = std::move(inputs);
  while (!to_release.empty()) {
    const std::shared_ptr<Node> node = std::move(to_release.back());
    to_release.pop_back();
    if (node == nullptr || node.use_count() > 1) continue;
    node->backward = nullptr;
    std::move(node->inputs.begin(), node->inputs.end(), std::back_inserter(to_release));
    node->inputs.clear();
  }
}

GradSlot Node::grad_slot() {
  if (grad_data == nullptr) {
    grad = allocate(bytes(shape));
    grad_data = static_cast<Real*>(grad.get());
  }
  return {grad_data, std::exchange(has_grad, true)};
}

const Real* BackwardContext::output_grad() const { return node_.grad_data; }

Real* BackwardContext::take_output_grad() {
  if (!node_.retain_grad) return node_.grad_data;
  copy_ = allocate(bytes(node_.shape));
  std::copy_n(node_.grad_data, node_.shape.size(), static_cast<Real*>(copy_.get()));
  return static_cast<Real*>(copy_.get());
}

GradSlot BackwardContext::input_grad(std::size_t index) const {
  Node* const input = node_.inputs[index].get();
  return input == nullptr ? GradSlot{} : input->grad_slot();
}

}}  // namespace regard::REGARD_PRECISION
