#pragma once

#include <span>
#include <vector>

#include "apps/translation/processes/piece_sum.h"

namespace regard::translation {

/// Returns how many numbers of the gradient are sent together. Few, so that sending begins early; but a
/// message, which is one of `processes` chunks of a piece, is worth its overhead.
Index numbers_per_piece(Index processes);

/// Sums the gradients of all shards, on all processes, along the tree of TreeSum. All gradients are computed
/// in the same memory, one after another. While backward() computes the last of them, the pieces that are
/// complete are already sent.
class GradientSum {
 public:
  /// The gradient must be zero and must outlive the object. The processes give the same `piece`.
  GradientSum(const Tensor& gradient, Index shards, Processes& processes, Index piece);

  /// Call this when the memory has the gradient of the next shard of this process, for all but the last.
  /// Afterwards the memory is zero.
  void add_shard();
  /// These numbers of the memory have the gradient of the last shard of this process. Do not touch them
  /// afterwards. Begins to send them. They are those of a parameter; the gap behind it (nn::padded) counts as
  /// given. Each may be given once, and need not be given at all.
  /// Throws Error if they do not lie in the memory.
  void add_part(std::span<const Real> part);
  /// The rest of the memory has the gradient of the last shard, too. Afterwards the memory has the sum over
  /// all shards of all processes: the same bits in every process, and for every number of processes.
  void finish();

 private:
  using Numbers = std::span<Real>;
  /// Adds the last shard to the others of this process, within one piece, and begins to send the sums.
  void start(PieceSum& piece);

  Numbers gradient_;
  Index shards_;
  Index next_;                   ///< the next shard to add
  TreeSum<Numbers> tree_;        ///< of the shards of this process, without the last
  std::vector<Tensor> buffers_;  ///< the numbers of the tree
  Index piece_;
  std::vector<PieceSum> pieces_;
  std::vector<Index> missing_;  ///< for each piece, how many of its numbers are not complete
};

}  // namespace regard::translation
