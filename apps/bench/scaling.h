#pragma once

#include <string>
#include <vector>

#include "autograd/machine/profile.h"

// What more threads would gain, predicted from a run on one thread.

namespace regard::bench {

/// The numbers of threads of the prediction.
inline constexpr int predicted_threads[] = {1, 2, 4, 8, 16, 32, 64};

/// The time of an operation, in nanoseconds: that of each block of its parallel loops, and the rest.
struct TimedOperation {
  std::string name;
  Profile::Nanoseconds serial = 0;
  std::vector<std::vector<Profile::Nanoseconds>> loops = {};
};

/// The operations of a profile with Profile::Loops::timed, and last what lies outside of them.
std::vector<TimedOperation> timed_operations(const Profile& profile);

/// What a loop of several blocks costs on predicted_threads[i] threads beyond its blocks: 5 microseconds and
/// 0.5 for each thread, or more if this machine has so many processors and empty loops take longer here.
std::vector<Profile::Nanoseconds> loop_costs();

/// The time of blocks that are dealt out in order, each to the first free thread.
Profile::Nanoseconds scheduled(const std::vector<Profile::Nanoseconds>& blocks, int threads);

/// The time of an operation on predicted_threads[i] threads.
Profile::Nanoseconds predicted(const TimedOperation& operation, std::size_t i,
                               const std::vector<Profile::Nanoseconds>& costs);

/// Returns two tables: time, speedup and efficiency for each number of threads, of one of `runs` equal parts
/// of the profile; and the ten operations that lose most on 16 threads, with the reason.
std::string scaling_tables(const std::vector<TimedOperation>& operations,
                           const std::vector<Profile::Nanoseconds>& costs, Index runs,
                           const std::string& run_name);

}  // namespace regard::bench
