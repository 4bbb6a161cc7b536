#pragma once

#include <span>
#include <vector>

#include "apps/translation/processes/processes.h"
#include "apps/translation/processes/shards.h"
#include "autograd/tensor.h"

namespace regard::translation {

/// Sums the gradients of all shards, on all processes, along the tree of TreeSum. All gradients are computed
/// in the same memory, one after another.
class GradientSum {
 public:
  /// The gradient must be zero and must outlive the object.
  GradientSum(const Tensor& gradient, Index shards, Processes& processes);

  /// Call this when the memory has the gradient of the next shard of this process. Afterwards the memory is
  /// zero, except after the last shard.
  void add_shard();
  /// Call this after the last shard. Afterwards the memory has the sum over all shards of all processes: the
  /// same bits in every process, and for every number of processes.
  ///
  /// The gradient is cut into as many chunks as there are processes. Each process sends its partial sums of
  /// chunk c to process c, which adds them in the order of the tree (reduce-scatter) and sends the sum to all
  /// (allgather). With one partial sum per process (as many shards per process as a power of two), each
  /// process sends and receives 2 n (P - 1) / P numbers of a gradient of n: the least that is possible
  /// (Patarasuk and Yuan 2009), as the ring of MPI_Allreduce does.
  void finish();

 private:
  using Numbers = std::span<Real>;
  /// The numbers of chunk `rank`.
  Numbers chunk(Numbers numbers, Index rank) const;
  void send_partial_sums();
  void add_partial_sums();
  void gather_chunks();

  Numbers gradient_;
  Index shards_;
  Processes& processes_;
  ShardRange own_;
  Index next_;                    ///< the next shard to add
  TreeSum<Numbers> tree_;         ///< of the shards of this process
  std::vector<Tensor> buffers_;   ///< partial sums that are not in the gradient's memory
  std::vector<Tensor> received_;  ///< partial sums of this process's chunk, from each other node
};

}  // namespace regard::translation
