#pragma once

#include <vector>

#include "apps/bench/step_products.h"
#include "apps/bench/training.h"

namespace regard::bench {

/// Trains. After each measured step, computes only the matrix products of the same step (the floor). Prints
/// tokens/s, GFLOP/s, the floor, the share of the floor in the time of training, and the peak memory.
void bench_training(const TrainingSettings& settings);

/// Returns the seconds of all products of one training step: one product forward and two backward per
/// weight. Each thread computes one slab of rows, or of columns if there are more columns.
double floor_seconds(const std::vector<Product>& products);

/// Returns the number of multiplications and additions in them.
double floor_flops(const std::vector<Product>& products);

/// Returns the GFLOP/s of one product of 1024 x 1024 x 1024 on all threads: the best of five.
double product_speed();

/// Returns the largest number of bytes that this process has held.
double peak_memory();

}  // namespace regard::bench
