#include "autograd/graph.h"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "autograd/error.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/operation.h"
#include "autograd/profile.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {
std::atomic<std::uint64_t> nodes_created{0};
std::atomic<std::uint64_t> backward_calls{0};
thread_local int no_grad_depth = 0;

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

NoGrad::NoGrad() { ++no_grad_depth; }
NoGrad::~NoGrad() { --no_grad_depth; }
bool grad_enabled() { return no_grad_depth == 0; }

bool needs_gradient(const std::vector<Tensor>& inputs) {
  return grad_enabled() &&
         std::any_of(inputs.begin(), inputs.end(), [](const Tensor& x) { return x && x.requires_grad(); });
}

Tensor Operation::attach(Tensor y, const std::vector<Tensor>& inputs, Backward backward) const {
  ResultProbe* const probe = result_probe;
  if (probe != nullptr && probe->moved == to_index(probe->nodes.size())) {
    y = y.clone();
    for (Index i = 0; i < y.size(); ++i) y.data()[i] += probe->by.data()[i];
  }
  auto node = std::make_shared<Node>(name_, y.shape());
  if (probe != nullptr) probe->nodes.push_back(node);
  for (const Tensor& input : inputs) {
    node->inputs.push_back(input ? input.node() : nullptr);
    if (input) node->seen.push_back({input.version(), input.version()->number()});
  }
  node->backward = std::move(backward);
  y.state_->node = std::move(node);
  return y;
}

namespace {

void check_unchanged(const Node& node) {
  for (const SeenValues& input : node.seen)
    if (input.version->number() != input.number)
      fail(
          "backward: an input of '{}' was changed after the forward; call backward() before the update, or "
          "compute the forward again",
          node.op);
}

/// All nodes that `root` depends on, oldest first.
std::vector<std::shared_ptr<Node>> reachable_from(const std::shared_ptr<Node>& root) {
  const std::uint64_t visit = ++backward_calls;
  std::vector<std::shared_ptr<Node>> found;
  std::vector<Node*> to_visit{root.get()};
  root->visit = visit;
  found.push_back(root);
  while (!to_visit.empty()) {
    Node* const node = to_visit.back();
    to_visit.pop_back();
    if (node->released)
      fail("backward: the graph was released by an earlier backward() (at '{}'); pass retain_graph there",
           node->op);
    check_unchanged(*node);
    for (const std::shared_ptr<Node>& input : node->inputs) {
      if (input == nullptr || input->visit == visit) continue;
      input->visit = visit;
      found.push_back(input);
      to_visit.push_back(input.get());
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a->number < b->number; });
  return found;
}

void start(Node& root, const Tensor& cotangent) {
  if (!cotangent && root.shape.size() != 1)
    fail("backward: a tensor of shape {} is not a scalar; give a cotangent of that shape",
         to_string(root.shape));
  if (cotangent && cotangent.shape() != root.shape)
    fail("backward: the cotangent's shape {} differs from the tensor's shape {}",
         to_string(cotangent.shape()), to_string(root.shape));
  const Tensor seed = cotangent ? cotangent : Tensor::full(root.shape, 1);
  kernels::accumulate(root.grad_slot(), seed.data(), seed.size());
}

void run_backward(Node& node) {
  const Span span(node.op, Span::Kind::backward);
  BackwardContext context(node);
  node.backward(context);
}

}  // namespace

void backward(const Tensor& root, const BackwardOptions& options) {
  if (!root.requires_grad()) fail("backward: no tensor in this computation requires a gradient");
  const Span span("backward()", Span::Kind::other);  // its own time: sorting nodes and freeing them
  std::vector<std::shared_ptr<Node>> nodes = reachable_from(root.node());
  for (const std::shared_ptr<Node>& node : nodes)
    if (node->backward) node->has_grad = false;  // with retain_graph, an earlier backward() may have left one
  start(*root.node(), options.cotangent);
  while (!nodes.empty()) {
    const std::shared_ptr<Node> node = std::move(nodes.back());
    nodes.pop_back();
    if (!node->backward) continue;  // a leaf keeps its gradient
    if (node->has_grad) run_backward(*node);
    if (!node->retain_grad) {
      node->grad.reset();
      node->grad_data = nullptr;
      node->has_grad = false;
    }
    if (options.retain_graph) continue;
    node->released = true;
    node->backward = nullptr;
    node->seen.clear();
    node->inputs.clear();  // so an input is freed after its own turn, unless somebody else holds it
  }
}

}}  // namespace regard::REGARD_PRECISION
