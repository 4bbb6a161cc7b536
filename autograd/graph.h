#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "autograd/grad_slot.h"
#include "autograd/profile.h"
#include "autograd/tensor.h"

// Reverse-mode differentiation, define by run. Each operation (autograd/operation.h) computes its value at
// once. If a gradient is wanted, it leaves a Node behind: the nodes of its inputs, and a function that turns
// the gradient of its output into contributions to their gradients. Nodes carry creation numbers, and an
// operation is always younger than its inputs. So backward() visits the reachable nodes from the youngest to
// the oldest, and when it comes to a node, all contributions to its gradient are there.
//
// A node holds nodes, not tensors. A backward function captures the values of the forward that it needs, and
// no other value of the forward is kept in memory.

namespace regard { inline namespace REGARD_PRECISION {

/// All that a backward function needs from its node: the gradient of the output, and the places for the
/// gradients of the inputs.
class BackwardContext {
 public:
  explicit BackwardContext(Node& node) : node_(node) {}
  /// dL/d(output), to be read.
  const Real* output_grad() const;
  /// dL/d(output), to be changed in place. Nobody reads it after this backward; if the caller of backward()
  /// asked to keep it, this is a copy.
  Real* take_output_grad();
  /// The place for dL/d(input `index`). Empty if that input needs no gradient. Write it before you ask for
  /// the next one: two inputs may be the same tensor, and then the second contribution has to add.
  GradSlot input_grad(std::size_t index) const;

 private:
  Node& node_;
  Buffer copy_;
};

using Backward = std::function<void(BackwardContext&)>;

/// The `op` of a tensor that no operation produced.
inline constexpr const char* leaf_name = "leaf";

/// The values of an input as an operation has seen them.
struct SeenValues {
  std::shared_ptr<const Version> version;
  std::uint64_t number;
};

struct Node {
  Node(const char* name, Shape output_shape);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const char* op;
  Shape shape;
  std::uint64_t number;                       ///< in order of creation
  std::vector<std::shared_ptr<Node>> inputs;  ///< null where no gradient is wanted
  std::vector<SeenValues> seen;               ///< of the inputs, in the forward
  Backward backward;                          ///< empty in leaves
  Buffer grad;
  Real* grad_data = nullptr;
  bool has_grad = false;     ///< a contribution has been written
  bool retain_grad = false;  ///< leaves, and inner results on request
  bool fixed_grad = false;   ///< a leaf whose gradient lives in a flat buffer: contributions always add
  bool released = false;     ///< backward has run, and inputs and captured values have been freed
  std::uint64_t visit = 0;   ///< the last backward() that reached this node

  GradSlot grad_slot();
};

struct ResultProbe;
/// The probe of this thread; null: none.
constinit inline thread_local ResultProbe* result_probe = nullptr;

/// Sees the results of the operations that are recorded, in order, and may move one of them. gradcheck uses
/// it to find the operation with a wrong backward (autograd/wrong_backward.h).
struct ResultProbe {
  Index moved = -1;                          ///< the result that is moved; -1: none
  Tensor by = {};                            ///< what is added to it
  std::vector<std::shared_ptr<Node>> nodes;  ///< of all results so far

  ResultProbe() { result_probe = this; }
  ~ResultProbe() { result_probe = nullptr; }
  ResultProbe(const ResultProbe&) = delete;
  ResultProbe& operator=(const ResultProbe&) = delete;
};

/// While a NoGrad exists, operations on its thread record nothing.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
};
bool grad_enabled();

/// True if an operation on these inputs has to be recorded: some input needs a gradient, and no NoGrad
/// exists.
bool needs_gradient(const std::vector<Tensor>& inputs);

struct BackwardOptions {
  /// The gradient to begin with, dL/d(root), of the root's shape. Empty: 1, for scalars only.
  Tensor cotangent = {};
  /// Keeps the graph for another backward() instead of freeing activations on the way.
  bool retain_graph = false;
};

/// Adds the gradient of `root` to every leaf that it depends on. Throws Error if nothing requires a gradient,
/// if a part of the graph was released by an earlier backward(), or if the values of an operation's input
/// have changed since the forward (autograd/version.h): its backward may read them. PyTorch refuses only if
/// it does.
void backward(const Tensor& root, const BackwardOptions& options = {});

}}  // namespace regard::REGARD_PRECISION
