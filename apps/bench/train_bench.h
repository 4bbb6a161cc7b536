#pragma once

#include <cstdint>
#include <string>

#include "transformer/config.h"

namespace regard::bench {

struct TrainBench {
  std::string preset = "tiny";
  std::string source, target;  ///< the corpus, one sentence a line, words between blanks
  std::string batches;         ///< lists of line numbers, one batch a line; empty: our own batches
  std::int64_t batch_tokens = 4096;
  std::int64_t steps = 20;
  std::int64_t warmup_steps = 3;  ///< left out of the figures
  double dropout = 0.3;
  bool final_norm = true;
};

/// Trains for some steps, after each of them multiplies the matrices of the same step and does nothing else
/// (the floor), and prints tokens/s, GFLOP/s, the floor, our share of it and the peak memory.
void run(const TrainBench& bench);

/// Seconds for all matrix products of one training step, forward and both of backward, on one slab of rows
/// (or columns, whichever are more) a thread. Attention's own small products are not counted.
double floor_seconds(const transformer::Config& config, std::int64_t source_tokens,
                     std::int64_t target_tokens);

/// Multiplications and additions of these products.
double floor_flops(const transformer::Config& config, std::int64_t source_tokens, std::int64_t target_tokens);

/// GFLOP/s of one 1024 x 1024 x 1024 product on all threads: the best of some.
double product_speed();

/// Bytes that this process has held at most.
double peak_memory();

}  // namespace regard::bench
