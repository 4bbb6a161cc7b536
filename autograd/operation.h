#pragma once

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/profile.h"

namespace regard { inline namespace REGARD_PRECISION {

/// One call of an operation, which says its name here and nowhere else. Make it the first line of the
/// function: it is the span of the call in a profile, it names the operation in errors, and it records the
/// result. apps/examples/my_layer.cpp is a complete example.
class Operation {
 public:
  /// `name` must live as long as the graph and the profile; a string literal does.
  explicit Operation(const char* name) : name_(name), span_(name) {}

  const char* name() const { return name_; }

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

}}  // namespace regard::REGARD_PRECISION
