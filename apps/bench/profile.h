#pragma once

#include <functional>
#include <string>

#include "apps/bench/training.h"
#include "autograd/profile.h"

namespace regard::bench {

/// The highest speeds of the machine on all threads: the two ceilings of the roofline model (Williams et al.
/// 2009).
struct Ceilings {
  double flops = 0;  ///< floating-point operations per second in a large matrix product
  double bytes = 0;  ///< bytes per second between processor and memory
};
Ceilings measure_ceilings();

/// Returns a table: one row per operation and direction, the longest time first; then the time outside of all
/// rows, the total and the ceilings. The speed of a row is its speed on the resource that limits it. This is
/// the resource on which the work of the row takes longer at the ceiling's speed.
std::string profile_table(const Profile& profile, const Ceilings& ceilings);

/// Returns the spans in Chrome's trace event format for chrome://tracing and ui.perfetto.dev.
std::string trace(const Profile& profile);

/// Trains and prints the table of the steps after the warm-up. Then calls `finished` with their profile.
void profile_training(const TrainingSettings& settings, const std::function<void(const Profile&)>& finished);

}  // namespace regard::bench
