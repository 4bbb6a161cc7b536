#include "autograd/graph.h"

#include <algorithm>
#include <atomic>

#include "autograd/kernels/elementwise.h"
#include "autograd/machine/error.h"
#include "autograd/machine/profile.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {
std::atomic<std::uint64_t> backward_calls{0};
}  // namespace

bool needs_gradient(const std::vector<Tensor>& inputs) {
  return grad_enabled() &&
         std::any_of(inputs.begin(), inputs.end(), [](const Tensor& x) { return x && x.requires_grad(); });
}

Tensor Operation::attach(Tensor y, const std::vector<Tensor>& inputs, Backward backward) const {
  auto node = std::make_shared<Node>(name_, y.shape());
  for (const Tensor& input : inputs) {
    node->inputs.push_back(input ? input.node() : nullptr);
    if (input) node->seen.push_back({input.version(), input.version()->number()});
  }
  node->backward = std::move(backward);
  y.state_->node = std::move(node);
  if (const ResultObserver* const observer = OnThread<ResultObserver>::innermost()) (*observer)(y);
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

/// Frees what a node has kept for its backward. An input is freed after its own turn, unless somebody else
/// holds it.
void release(Node& node) {
  node.released = true;
  node.backward = nullptr;
  node.seen.clear();
  node.inputs.clear();
}

void run_backward(Node& node) {
  const Span span(node.op, Span::Kind::backward);
  BackwardContext context(node);
  node.backward(context);
}

void drop_gradient(Node& node) {
  node.grad.reset();
  node.grad_data = nullptr;
  node.has_grad = false;
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
    if (!node->retain_grad) drop_gradient(*node);
    if (!options.retain_graph) release(*node);
  }
}

void Tensor::backward() const { regard::backward(*this); }

}}  // namespace regard::REGARD_PRECISION
