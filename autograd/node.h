#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "autograd/kernels/grad_slot.h"
#include "autograd/machine/memory.h"
#include "autograd/shape.h"
#include "autograd/version.h"

// The nodes of the graph, and what a backward function sees of its node.

namespace regard { inline namespace REGARD_PRECISION {

struct Node;

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
  bool fixed_grad = false;  ///< a leaf whose gradient lives in a flat buffer: zero_grad() fills it with zeros
  bool released = false;    ///< backward has run, and inputs and captured values have been freed
  std::uint64_t visit = 0;  ///< the last backward() that reached this node

  GradSlot grad_slot();
};

}}  // namespace regard::REGARD_PRECISION
