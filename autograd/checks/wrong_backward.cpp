// Where does a wrong gradient come from? Each operation's result is moved along a random direction, and the
// slope of the function is compared with the gradient that backward() has computed for this result. From the
// last result to the first, the gradients are right until an operation has a wrong backward: the gradients of
// its inputs are wrong although that of its result is right.
#include "autograd/checks/wrong_backward.h"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>

#include "autograd/graph.h"
#include "autograd/ops.h"
#include "autograd/ops/linear_products.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// Sees the results that the operations of this thread record, in order, and may move one of them.
class Results {
 public:
  Index moved = -1;                          ///< the result that is moved; -1: none
  Tensor by = {};                            ///< what is added to it
  std::vector<std::shared_ptr<Node>> nodes;  ///< of all results so far

 private:
  ResultObserver observer_ = [this](const Tensor& result) {
    if (moved == to_index(nodes.size())) take_values(result, result.detach() + by);
    nodes.push_back(result.node());
  };
  const OnThread<ResultObserver> scope_{&observer_};
};

/// sum_i cotangent_i f(inputs)_i with the result `moved` of an operation, if there is one, moved by `by`.
double value(const Differentiable& function, const std::vector<Tensor>& inputs, const Tensor& cotangent,
             Index moved, const Tensor& by) {
  Results results;
  results.moved = moved;
  results.by = by;
  return dot(function(inputs), cotangent);
}

/// True if the gradient of the moved result is the slope of the function.
template <class Value>
bool is_right(const Node& node, const Value& value_moved_by, Random& random) {
  constexpr double tolerance = 1e-6;
  for (int trial = 0; trial < 2; ++trial) {
    const Tensor direction = Tensor::normal(node.shape, 0, 1, random);
    double got = 0, size = 0;
    for (Index i = 0; i < direction.size(); ++i) {
      const double slope = node.has_grad ? static_cast<double>(node.grad_data[i]) : 0;
      got += slope * static_cast<double>(direction.data()[i]);
      size += std::abs(slope * static_cast<double>(direction.data()[i]));
    }
    bool right = false;
    for (const double step : {1e-5, 1e-4, 1e-3}) {
      const Tensor by = direction * static_cast<Real>(step);
      const double expected = (value_moved_by(by) - value_moved_by(-by)) / (2 * step);
      right = right || std::abs(got - expected) <= tolerance * std::max({size, std::abs(expected), 1e-8});
    }
    if (!right) return false;
  }
  return true;
}

}  // namespace

double dot(const Tensor& a, const Tensor& b) {
  long double sum = 0;
  for (Index i = 0; i < a.size(); ++i)
    sum += static_cast<long double>(a.data()[i]) * static_cast<long double>(b.data()[i]);
  return static_cast<double>(sum);
}

std::string operation_with_wrong_backward(const Differentiable& function, const std::vector<Tensor>& inputs,
                                          const Tensor& input, const Tensor& cotangent, Random& random) {
  std::vector<std::shared_ptr<Node>> nodes;
  {
    const Results results;
    const Tensor y = function(inputs);
    nodes = results.nodes;
    for (const std::shared_ptr<Node>& node : nodes) node->retain_grad = true;
    backward(y, {.cotangent = cotangent, .retain_graph = true});
  }
  // From the last result to the first; -1 stands for the input.
  for (Index i = to_index(nodes.size()) - 1; i >= -1; --i) {
    if (i >= 0 && is_right(
                      *nodes[to_size(i)],
                      [&](const Tensor& by) { return value(function, inputs, cotangent, i, by); }, random))
      continue;
    // All later gradients are right, so an operation that reads this tensor has a wrong backward.
    const std::shared_ptr<Node>& wrong = i >= 0 ? nodes[to_size(i)] : input.node();
    std::vector<std::string> readers;
    for (const std::shared_ptr<Node>& node : nodes) {
      const bool reads = std::count(node->inputs.begin(), node->inputs.end(), wrong) > 0;
      if (reads && std::count(readers.begin(), readers.end(), node->op) == 0) readers.push_back(node->op);
    }
    return fmt::format("{}", fmt::join(readers, " or "));
  }
  return "";
}

}}  // namespace regard::REGARD_PRECISION
