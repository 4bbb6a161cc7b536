#pragma once

#include <string>

#include "apps/bench/training.h"
#include "autograd/profile.h"

namespace regard::bench {

/// Returns a table: one row per operation and direction, the longest time first; then the time outside of all
/// rows, the total, and `product_speed` (apps/bench/train_bench.h). The floor of a row is the time of its
/// matrix products at that speed; the row shows the share of the floor in its time.
std::string profile_table(const Profile& profile, double product_speed);

/// Trains and prints the table of the steps after the warm-up.
void profile_training(const TrainingSettings& settings);

}  // namespace regard::bench
