#pragma once

#include <span>
#include <vector>

#include "apps/translation/processes/processes.h"
#include "apps/translation/processes/shards.h"
#include "autograd/tensor.h"

namespace regard::translation {

/// to += from
void add_numbers(std::span<Real> to, std::span<const Real> from);
void copy_numbers(std::span<Real> to, std::span<const Real> from);

/// The sum over all processes of one piece of the gradient. Every process calls start(), and then advance()
/// until it returns true.
///
/// The piece is cut into as many chunks as there are processes. Each process sends its partial sums of chunk
/// c to process c, which adds them in the order of the tree (reduce-scatter) and sends the sum to all
/// (allgather). With one partial sum per process (as many shards per process as a power of two), each process
/// sends and receives 2 n (P - 1) / P numbers of a gradient of n: the least that is possible (Patarasuk and
/// Yuan 2009), as the ring of MPI_Allreduce does.
class PieceSum {
 public:
  using Numbers = std::span<Real>;
  using Nodes = std::vector<TreeSum<Numbers>::Node>;

  /// The sum comes to `numbers`. The processes give equal numbers to equal pieces: 0, 1, 2, ….
  PieceSum(Numbers numbers, Index number, Index shards, Processes& processes);

  Numbers numbers() const { return numbers_; }
  bool started() const { return stage_ != Stage::waiting; }

  /// Begins to send the partial sums of this process. The memory of the last of them is `numbers`.
  void start(Nodes partial_sums);
  /// Goes on as far as messages have arrived. Returns true if the sum is there.
  bool advance();
  /// Waits for the sum of the own chunk, and begins to send it.
  void finish_chunk();
  /// Waits for the sum.
  void finish();

 private:
  enum class Stage { waiting, reducing, gathering, done };

  /// The numbers of chunk `rank`.
  Numbers chunk(Numbers numbers, Index rank) const;
  void add_partial_sums();
  void gather_chunks();
  Index reduce_exchange() const { return 2 * number_; }
  Index gather_exchange() const { return 2 * number_ + 1; }

  Numbers numbers_;
  Index number_, shards_;
  Processes& processes_;
  Stage stage_ = Stage::waiting;
  Nodes partial_sums_;            ///< of this process
  std::vector<Tensor> received_;  ///< partial sums of this process's chunk, from each other node
};

}  // namespace regard::translation
