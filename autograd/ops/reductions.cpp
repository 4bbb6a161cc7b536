#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// Which element of the result each element of x belongs to.
struct Groups {
  Shape result;
  std::vector<Index> of_element;
  Index per_result;  ///< elements of x per element of the result
};

Groups make_groups(const Tensor& x, const Reduction& reduction) {
  const auto rank = to_size(x.rank());
  std::vector<bool> reduced(rank, reduction.axes.empty());
  for (const Index axis : reduction.axes) reduced[to_size(x.shape().wrap(axis))] = true;

  std::vector<Index> extents, strides(rank, 0);
  Index stride = 1;
  for (std::size_t axis = rank; axis-- > 0;) {
    if (reduced[axis]) continue;
    strides[axis] = stride;
    stride *= x.shape().extents()[axis];
  }
  Index per_result = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const Index extent = x.shape().extents()[axis];
    if (reduced[axis]) per_result *= extent;
    if (!reduced[axis] || reduction.keep_axes) extents.push_back(reduced[axis] ? 1 : extent);
  }

  Groups groups{Shape(std::move(extents)), std::vector<Index>(to_size(x.size())), per_result};
  std::vector<Index> index(rank, 0);
  Index group = 0;
  for (Index& element : groups.of_element) {
    element = group;
    for (std::size_t axis = rank; axis-- > 0;) {
      group += strides[axis];
      if (++index[axis] < x.shape().extents()[axis]) break;
      group -= strides[axis] * index[axis];
      index[axis] = 0;
    }
  }
  return groups;
}

/// y_g = factor * sum of the x in group g;  dx = factor * dy of its group
Tensor scaled_sum(const Operation& op, const Tensor& x, Groups groups, Real factor) {
  const Tensor y = Tensor::zeros(groups.result);
  const auto from = x.values(), to = y.values();
  for (std::size_t i = 0; i < from.size(); ++i) to[to_size(groups.of_element[i])] += from[i];
  for (Real& value : to) value *= factor;
  return op.record(y, {x}, [group = std::move(groups.of_element), factor](BackwardContext& context) {
    const GradSlot dx = context.input_grad(0);
    const Real* const dy = context.output_grad();
    for (std::size_t i = 0; i < group.size(); ++i) dx.put(to_index(i), factor * dy[group[i]]);
  });
}

}  // namespace

Tensor sum(const Tensor& x, const Reduction& reduction) {
  const Operation op("sum");
  return scaled_sum(op, x, make_groups(x, reduction), 1);
}

Tensor mean(const Tensor& x, const Reduction& reduction) {
  const Operation op("mean");
  Groups groups = make_groups(x, reduction);
  if (groups.per_result == 0) op.fail("shape {} has nothing to average", to_string(x.shape()));
  const Real factor = 1 / static_cast<Real>(groups.per_result);
  return scaled_sum(op, x, std::move(groups), factor);
}

Tensor max(const Tensor& x, const Reduction& reduction) {
  const Operation op("max");
  Groups groups = make_groups(x, reduction);
  if (groups.per_result == 0) op.fail("shape {} has nothing to choose from", to_string(x.shape()));
  const Tensor y = Tensor::full(groups.result, -std::numeric_limits<Real>::infinity());
  const auto size = to_size(x.size());
  for (std::size_t i = 0; i < size; ++i) {
    Real& largest = y.data()[groups.of_element[i]];
    const Real value = x.data()[i];
    if (value > largest || std::isnan(value))
      largest = value;  // a NaN stays, because no comparison with it is true
  }
  return op.record(y, {x},
                   [x, largest = y.detach(), group = std::move(groups.of_element)](BackwardContext& context) {
                     const GradSlot dx = context.input_grad(0);
                     const Real* const dy = context.output_grad();
                     std::vector<Real> occurrences(to_size(largest.size()), 0);
                     const auto is_largest = [&](std::size_t i) {
                       return x.data()[i] == largest.data()[group[i]] || std::isnan(x.data()[i]);
                     };
                     for (std::size_t i = 0; i < group.size(); ++i)
                       if (is_largest(i)) ++occurrences[to_size(group[i])];
                     for (std::size_t i = 0; i < group.size(); ++i) {
                       const auto g = to_size(group[i]);
                       dx.put(to_index(i), is_largest(i) ? dy[g] / occurrences[g] : 0);
                     }
                   });
}

}}  // namespace regard::REGARD_PRECISION
