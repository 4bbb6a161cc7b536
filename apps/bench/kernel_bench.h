#pragma once

namespace regard::bench {

struct KernelBench {
  double seconds = 0.2;  ///< to repeat each kernel for, at least
};

/// Runs each kernel alone, on sizes that occur in training, and prints its time and what it makes of the
/// machine: GFLOP/s where it multiplies, GB/s where it moves memory, nanoseconds a number where it computes
/// one number from another.
void run(const KernelBench& bench);

}  // namespace regard::bench
