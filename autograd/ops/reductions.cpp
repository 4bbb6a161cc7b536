#include "autograd/ops/reductions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/graph.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// Which element of the result each element of x belongs to.
struct Groups {
  Shape result;
  std::vector<Index> of_element;
  Index per_result;  ///< elements of x that meet in one of the result
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
Tensor scaled_sum(const char* op, const Tensor& x, Groups groups, Real factor) {
  const Span span(op);
  const Tensor y = Tensor::zeros(groups.result);
  for (Index i = 0; i < x.size(); ++i) y.data()[groups.of_element[to_size(i)]] += x.data()[i];
  for (Real& value : y.values()) value *= factor;
  return record(op, y, {x}, [group = std::move(groups.of_element), factor](Output& out) {
    const GradSlot dx = out.grad_slot(0);
    for (std::size_t i = 0; i < group.size(); ++i)
      dx.data[i] = factor * out.grad()[group[i]] + (dx.add ? dx.data[i] : 0);
  });
}

}  // namespace

Tensor sum(const Tensor& x, const Reduction& reduction) {
  return scaled_sum("sum", x, make_groups(x, reduction), 1);
}

Tensor mean(const Tensor& x, const Reduction& reduction) {
  Groups groups = make_groups(x, reduction);
  if (groups.per_result == 0) fail("mean: shape {} has nothing to average", to_string(x.shape()));
  const Real factor = 1 / static_cast<Real>(groups.per_result);
  return scaled_sum("mean", x, std::move(groups), factor);
}

Tensor max(const Tensor& x, const Reduction& reduction) {
  const Span span("max");
  Groups groups = make_groups(x, reduction);
  if (groups.per_result == 0) fail("max: shape {} has nothing to choose from", to_string(x.shape()));
  const Tensor y = Tensor::full(groups.result, -std::numeric_limits<Real>::infinity());
  const auto size = to_size(x.size());
  for (std::size_t i = 0; i < size; ++i) {
    Real& largest = y.data()[groups.of_element[i]];
    const Real value = x.data()[i];
    if (value > largest || std::isnan(value)) largest = value;  // nothing is larger than NaN, so it stays
  }
  return record("max", y, {x}, [x, largest = y.detach(), group = std::move(groups.of_element)](Output& out) {
    const GradSlot dx = out.grad_slot(0);
    std::vector<Real> occurrences(to_size(largest.size()), 0);
    const auto is_largest = [&](std::size_t i) { return x.data()[i] == largest.data()[group[i]]; };
    for (std::size_t i = 0; i < group.size(); ++i)
      if (is_largest(i)) ++occurrences[to_size(group[i])];
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto g = to_size(group[i]);
      const Real contribution = is_largest(i) ? out.grad()[g] / occurrences[g] : 0;
      dx.data[i] = contribution + (dx.add ? dx.data[i] : 0);
    }
  });
}

}}  // namespace regard::REGARD_PRECISION
