#pragma once

#include <vector>

#include "apps/translation/processes/gradient_sum.h"

namespace regard::translation {

/// The micro-batches that a process computes. Their numbers differ by at most one between processes.
inline MicroBatchRange share_of(Index rank, Index processes, Index micro_batches) {
  return {micro_batches * rank / processes, micro_batches * (rank + 1) / processes};
}

/// Returns the largest nodes of the tree whose micro-batches all belong to a process, at most
/// 2 log2(micro_batches).
std::vector<MicroBatchRange> nodes_of(MicroBatchRange own, Index micro_batches);

}  // namespace regard::translation
