#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/translation/processes/processes.h"
#include "autograd/real.h"
#include "autograd/tensor.h"

namespace regard::translation {

/// Consecutive shards first, first + 1, …, end - 1.
struct ShardRange {
  Index first, end;
};

/// The shards that a process computes. Their numbers differ by at most one between processes.
inline ShardRange shards_of(Index rank, Index processes, Index shards) {
  return {shards * rank / processes, shards * (rank + 1) / processes};
}

/// Adds values of shards 0, 1, …, shards - 1 along a fixed binary tree:
///
///   0   1   2   3   4
///    \ /     \ /    |
///    0-1     2-3    |
///      \    /       |
///        0-3        |
///            \     /
///              0-4
///
/// A node has 2^l consecutive shards and begins at a multiple of 2^l. On each level the first and the second
/// node are added, the third and the fourth, and so on. The last node of a level has fewer shards if their
/// number is not a power of two. Floating-point addition is not associative; because the tree depends only on
/// the number of shards, the result does not depend on the number of processes.
///
/// A process adds its own shards as far as the tree allows. It then has at most 2 log2(shards) values.
template <class Value>
class TreeSum {
 public:
  struct Node {
    ShardRange shards;
    Value value;
  };

  explicit TreeSum(Index shards) : shards_(shards) {}

  /// Adds the next node, whose shards begin where those of the last node end (the first may begin anywhere).
  /// `merge(left, right)` returns the value left + right; it is called as soon as both are there.
  template <class Merge>
  void push(ShardRange range, Value value, const Merge& merge) {
    nodes_.push_back({range, std::move(value)});
    while (nodes_.size() > 1 && are_siblings(nodes_[nodes_.size() - 2].shards, nodes_.back().shards)) {
      Node right = std::move(nodes_.back());
      nodes_.pop_back();
      Node& left = nodes_.back();
      left = {{left.shards.first, right.shards.end}, merge(std::move(left.value), std::move(right.value))};
    }
  }

  std::vector<Node>& nodes() { return nodes_; }

 private:
  /// True if these two make the next larger node of the tree.
  bool are_siblings(ShardRange left, ShardRange right) const {
    const Index width = left.end - left.first;
    const bool whole = (width & (width - 1)) == 0;
    return whole && left.first % (2 * width) == 0 && right.end == std::min(left.end + width, shards_);
  }

  Index shards_;
  std::vector<Node> nodes_;
};

/// Returns the nodes of the tree that a process has after it has added its own shards.
std::vector<ShardRange> nodes_of(ShardRange own, Index shards);

/// Sums the gradients and the losses of all shards, on all processes, along the tree of TreeSum. A process
/// computes the gradients of its shards in the same memory, one after another.
class GradientSum {
 public:
  /// `gradient` is this memory. It must be zero.
  GradientSum(const Tensor& gradient, Index shards, Processes& processes);

  /// The shards of this process.
  ShardRange own() const { return own_; }
  /// Call this when the memory has the gradient of the next own shard. Afterwards the memory is ready for the
  /// shard after it.
  void add_shard(double loss);
  /// Call this after the last own shard. Afterwards the memory has the sum over all shards of all processes.
  /// Returns the sum of the losses. Both have the same bits in every process, and for every number of
  /// processes.
  double finish();

 private:
  void exchange_nodes();
  double sum_of_losses();

  Tensor gradient_;
  Index shards_;
  Processes& processes_;
  ShardRange own_;
  TreeSum<Tensor> tree_;        ///< of the own shards
  std::vector<double> losses_;  ///< of the own shards
};

}  // namespace regard::translation
