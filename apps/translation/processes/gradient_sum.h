#pragma once

#include <bit>
#include <functional>
#include <optional>
#include <vector>

#include "apps/translation/processes/processes.h"
#include "autograd/machine/real.h"
#include "autograd/tensor.h"

namespace regard::translation {

/// Consecutive micro-batches first, first + 1, …, end - 1.
struct MicroBatchRange {
  Index first, end;
  bool operator==(const MicroBatchRange&) const = default;
};

/// Where a node of the tree of tree_sum() divides: the first half has a power of two of micro-batches.
inline Index middle_of(MicroBatchRange node) {
  return node.first + to_index(std::bit_floor(to_size(node.end - node.first - 1)));
}

/// Adds values of micro-batches along a fixed binary tree:
///
///   0   1   2   3   4
///    \ /     \ /    |
///    0-1     2-3    |
///      \    /       |
///        0-3        |
///            \     /
///              0-4
///
/// Floating-point addition is not associative; because the tree depends only on the number of micro-batches,
/// the sum does not depend on who computes them. `value_of(node)` returns the value of a node if it is known,
/// and that of each single micro-batch; add(left, right) returns left + right.
template <class Value>
Value tree_sum(MicroBatchRange node, const std::function<std::optional<Value>(MicroBatchRange)>& value_of,
               const std::function<Value(const Value& left, const Value& right)>& add) {
  if (const std::optional<Value> value = value_of(node)) return *value;
  const Value left = tree_sum({node.first, middle_of(node)}, value_of, add);
  return add(left, tree_sum({middle_of(node), node.end}, value_of, add));
}

/// left += right. Returns left.
Tensor add_to(const Tensor& left, const Tensor& right);

/// Returns the sum of the gradients of a node, as Processes::sum_gradients does, and appends its losses. The
/// sum of the node that ends with `end`, the end of a process's own micro-batches, is in `gradient`; that of
/// another one is in memory of its own.
Tensor sum_node(MicroBatchRange node, Index end, const Tensor& gradient, const Processes::Backward& backward,
                std::vector<double>& losses);

/// Returns the sum of the losses of all micro-batches.
double sum_losses(const std::vector<double>& losses);

}  // namespace regard::translation
