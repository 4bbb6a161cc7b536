#pragma once

#include <fmt/core.h>
#include <functional>
#include <utility>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/machine/profile.h"
#include "autograd/machine/surroundings.h"
#include "autograd/node.h"
#include "autograd/tensor.h"

// Reverse-mode differentiation, define by run. Each operation computes its value at
// once. If a gradient is wanted, it leaves a Node behind: the nodes of its inputs, and a function that turns
// the gradient of its output into contributions to their gradients. Nodes carry creation numbers, and an
// operation is always younger than its inputs. So backward() visits the reachable nodes from the youngest to
// the oldest, and when it comes to a node, all contributions to its gradient are there.
//
// A node holds nodes, not tensors. A backward function captures the values of the forward that it needs, and
// no other value of the forward is kept in memory.

namespace regard { inline namespace REGARD_PRECISION {

/// While a NoGrad exists, operations on its thread and on the workers of its parallel loops record nothing.
class NoGrad {
  const OnThreadAndWorkers<NoGrad> scope_{this};
};
/// False while a NoGrad exists on this thread, or on the one whose parallel loop it works in.
inline bool grad_enabled() { return OnThreadAndWorkers<NoGrad>::innermost() == nullptr; }

/// True if an operation on these inputs has to be recorded: some input needs a gradient, and no NoGrad
/// exists.
bool needs_gradient(const std::vector<Tensor>& inputs);

/// While an OnThread<ResultObserver> exists, it is called with each result that an operation of this thread
/// records, before anybody reads it: a debugger looks at it or moves it (autograd/checks/wrong_backward.cpp).
using ResultObserver = const std::function<void(const Tensor& result)>;

/// One call of an operation, which says its name here and nowhere else. Make it the first line of the
/// function: it is the span of the call in a profile, it names the operation in errors, and it records the
/// result. apps/examples/my_layer.cpp is a complete example.
class Operation {
 public:
  /// `name` must live as long as the graph and the profile; a string literal does.
  explicit Operation(const char* name) : name_(name), span_(name) {}

  const char* name() const { return name_; }  ///< as given to the constructor

  /// Throws an Error whose message begins with the operation's name.
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw Error(fmt::format("{}: {}", name_, fmt::format(format, std::forward<Args>(args)...)));
  }

  /// Makes `y` the recorded result of this operation on `inputs` and returns it. `backward(BackwardContext&)`
  /// is kept only if some input needs a gradient. It may capture inputs and y.detach(), but never y, because
  /// y would then hold itself and never be freed.
  template <class Function>
  Tensor record(Tensor y, const std::vector<Tensor>& inputs, Function&& backward) const {
    if (!needs_gradient(inputs)) return y;
    return attach(std::move(y), inputs, std::forward<Function>(backward));
  }

 private:
  Tensor attach(Tensor y, const std::vector<Tensor>& inputs, Backward backward) const;

  const char* name_;
  Span span_;
};

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
