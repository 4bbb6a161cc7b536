#pragma once

#include <optional>

#include "apps/translation/processes/processes.h"
#include "autograd/real.h"

namespace regard::bench {

/// The sum of a gradient over processes.
struct ReductionBench {
  Index numbers = 5'000'000;
  std::optional<Index> shards;  ///< default: the number of processes
  Index runs = 20;
};

/// Prints the time of GradientSum::finish, beside the time of MPI_Allreduce on as many numbers. The time of
/// two barriers is subtracted.
void run(const ReductionBench& settings, translation::Processes& processes);

}  // namespace regard::bench
