#pragma once

#include "apps/bench/training.h"
#include "autograd/index.h"

namespace regard::bench {

/// Trains for some steps, after each of them multiplies the matrices of the same step and does nothing else
/// (the floor), and prints tokens/s, GFLOP/s, the floor, our share of it and the peak memory.
void bench_training(const TrainingSettings& settings);

/// Seconds for all matrix products of one training step, forward and both of backward, on one slab of rows
/// (or columns, whichever are more) a thread. Attention's own small products are not counted.
double floor_seconds(const transformer::Config& config, Index source_tokens, Index target_tokens);

/// Multiplications and additions of these products.
double floor_flops(const transformer::Config& config, Index source_tokens, Index target_tokens);

/// GFLOP/s of one 1024 x 1024 x 1024 product on all threads: the best of some.
double product_speed();

/// Bytes that this process has held at most.
double peak_memory();

}  // namespace regard::bench
