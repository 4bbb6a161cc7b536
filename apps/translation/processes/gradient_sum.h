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

/// The micro-batches that a process computes. Their numbers differ by at most one between processes.
inline MicroBatchRange share_of(Index rank, Index processes, Index micro_batches) {
  return {micro_batches * rank / processes, micro_batches * (rank + 1) / processes};
}

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
/// the sum does not depend on the number of processes. `value_of(node)` returns the value of a node if it is
/// known, and that of each single micro-batch; add(left, right) returns left + right.
template <class Value>
Value tree_sum(MicroBatchRange node, const std::function<std::optional<Value>(MicroBatchRange)>& value_of,
               const std::function<Value(const Value& left, const Value& right)>& add) {
  if (const std::optional<Value> value = value_of(node)) return *value;
  const Value left = tree_sum({node.first, middle_of(node)}, value_of, add);
  return add(left, tree_sum({middle_of(node), node.end}, value_of, add));
}

/// Returns the largest nodes of the tree whose micro-batches all belong to a process, at most
/// 2 log2(micro_batches).
std::vector<MicroBatchRange> nodes_of(MicroBatchRange own, Index micro_batches);

/// Sums the gradients and losses of all micro-batches, on all processes, along the tree. With
/// training.accumulate, the micro-batches of the same number of several batches are one leaf. `backward(i)`
/// computes leaf i: it adds its gradient to the memory `gradient`, which is zero before, and returns
/// its loss. It is called for the micro-batches of this process. Afterwards `gradient` is the sum over all
/// micro-batches of all processes. Returns the sum of the losses. Both have the same bits in every process,
/// and for every number of processes.
double sum_gradients(const Tensor& gradient, Index micro_batches, Processes& processes,
                     const std::function<double(Index micro_batch)>& backward);

}  // namespace regard::translation
