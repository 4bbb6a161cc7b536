#pragma once

#include <string>

#include "apps/bench/training.h"
#include "autograd/profile.h"

namespace regard::bench {

/// What the machine can do at most on all threads: the two ceilings of the roofline model (Williams et al.
/// 2009).
struct Ceilings {
  double flops = 0;  ///< a second, in a large matrix product
  double bytes = 0;  ///< a second, between processor and memory
};
Ceilings measure_ceilings();

/// A row for each operation and direction, the longest time first, then the time outside of all rows and the
/// total; the ceilings below it. A row's rate is that of the resource that limits it: the one whose ceiling
/// would let the same work take longer.
std::string profile_table(const Profile& profile, const Ceilings& ceilings);

/// Writes the spans in Chrome's trace event format, which chrome://tracing and ui.perfetto.dev show. An empty
/// path: nothing. Throws Error naming the path and the system's reason.
void write_trace(const Profile& profile, const std::string& path);

/// Trains for some steps and prints the table of those after the warm-up.
void profile_training(const TrainingSettings& settings, const std::string& trace);

}  // namespace regard::bench
