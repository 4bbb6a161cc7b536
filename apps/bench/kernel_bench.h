#pragma once

namespace regard::bench {

struct KernelBench {
  double seconds = 0.2;  ///< each kernel repeats for at least this time
};

/// Runs each kernel alone on sizes that occur in training, and prints its time and its speed: GFLOP/s for
/// products, GB/s for kernels that mostly move memory, nanoseconds per number for kernels that compute each
/// number from another one.
void run(const KernelBench& bench);

}  // namespace regard::bench
