#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "autograd/index.h"
#include "autograd/profile.h"
#include "autograd/tensor.h"

// Reverse-mode differentiation, define by run. Each operation computes its value at once and, if a gradient
// is wanted, leaves a Node behind: its inputs' nodes and a function that turns the gradient of its output
// into contributions to theirs. Nodes carry creation numbers, and an operation is always younger than its
// inputs; so backward() visits the reachable nodes from the youngest to the oldest, and when it comes to a
// node, all contributions to its gradient are there.
//
// A node holds nodes, not tensors. What a backward needs of the forward's values it captures by itself, and
// nothing else of the forward is kept in memory.

namespace regard { inline namespace REGARD_PRECISION {

/// What a backward function sees of its operation: the gradient of the output, and where those of the inputs
/// belong.
class Output {
 public:
  explicit Output(Node& node) : node_(node) {}
  const Real* grad() const;
  /// The output's gradient to be changed in place: the buffer itself, which nobody reads after this backward,
  /// or a copy if the caller of backward() asked to keep it.
  Real* take_grad();
  /// Where the gradient of input `index` belongs, and whether to add to what is there. Empty if it needs
  /// none. Write it before asking for the next: two inputs may be the same tensor.
  GradSlot grad_slot(std::size_t index) const;

 private:
  Node& node_;
  Buffer copy_;
};

using Backward = std::function<void(Output&)>;

/// The `op` of a tensor that no operation produced.
inline constexpr const char* leaf_name = "leaf";

struct Node {
  Node(const char* name, Shape output_shape);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const char* op;
  Shape shape;
  std::uint64_t number;                       ///< in order of creation
  std::vector<std::shared_ptr<Node>> inputs;  ///< null where no gradient is wanted
  Backward backward;                          ///< empty in leaves
  Buffer grad;
  Real* grad_data = nullptr;
  bool has_grad = false;     ///< a contribution has been written
  bool retain_grad = false;  ///< leaves, and inner results on request
  bool fixed_grad = false;   ///< a leaf whose gradient lives in a flat buffer: contributions always add
  bool released = false;     ///< backward has run, inputs and captured values are gone
  std::uint64_t visit = 0;   ///< the last backward() that reached this node

  GradSlot grad_slot();
};

/// While one exists, operations on this thread record nothing.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
};
bool grad_enabled();

struct Record {
  static bool wanted(const std::vector<Tensor>& inputs);
  static void count(const Tensor& y, const std::vector<Tensor>& inputs);
  static Tensor attach(const char* op, Tensor y, const std::vector<Tensor>& inputs, Backward backward);
};

/// Makes `y` the recorded result of operation `op` on `inputs` and returns it. `backward(Output&)` is kept
/// only if some input needs a gradient; it may capture inputs, and y.detach(), but never y (a cycle).
template <class Function>
Tensor record(const char* op, Tensor y, const std::vector<Tensor>& inputs, Function&& backward) {
  if (profiling()) Record::count(y, inputs);
  if (!Record::wanted(inputs)) return y;
  return Record::attach(op, std::move(y), inputs, std::forward<Function>(backward));
}

/// For the profile: this many numbers have to be read or written. An operation that says nothing is taken to
/// read its inputs and to write its result; its backward, to read the result's gradient and the inputs whose
/// gradients are wanted, and to write those. All of them whole, and each tensor once.
inline void count_moved(Index numbers) { count_bytes(sizeof(Real) * static_cast<double>(numbers)); }

struct BackwardOptions {
  /// Gradient of what we differentiate, of the root's shape. Empty: 1, for scalars only.
  Tensor cotangent = {};
  /// Keeps the graph for another backward() instead of freeing activations on the way.
  bool retain_graph = false;
};

/// Adds the gradient of `root` to every leaf that it depends on. Throws Error if nothing requires a gradient,
/// or if a part of the graph was released by an earlier backward().
void backward(const Tensor& root, const BackwardOptions& options = {});

}}  // namespace regard::REGARD_PRECISION
