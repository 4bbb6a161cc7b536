#pragma once

#include <string>
#include <vector>

#include "autograd/profile.h"

// What more threads would gain, predicted from a run on one thread.

namespace regard::bench {

/// The numbers of threads of the prediction.
inline constexpr int predicted_threads[] = {1, 2, 4, 8, 16, 32, 64};

/// Returns the nanoseconds from the start to the end of a parallel loop on this machine, beyond its blocks:
/// the median of many empty loops on so many threads. Sets the number of threads back.
Profile::Nanoseconds measured_loop_cost(int threads);

/// Predicts the time of what a profile with Profile::Loops::timed has seen. The next block goes to the first
/// free thread; what lies between the loops runs on one thread; a loop of several blocks costs at least 5
/// microseconds and 0.5 for each thread.
class Scaling {
 public:
  /// Measures what a loop costs, for each number of threads up to the processors of this machine.
  explicit Scaling(const Profile& profile);
  /// `loop_costs[i]` belongs to predicted_threads[i].
  Scaling(const Profile& profile, std::vector<Profile::Nanoseconds> loop_costs);

  /// Returns the predicted time of everything on predicted_threads[i] threads.
  Profile::Nanoseconds total(std::size_t i) const;
  /// Returns two tables: time, speedup and efficiency for each number of threads, of one of `runs` equal
  /// parts of the profile; and the ten operations that lose most on 16 threads, with the reason.
  std::string tables(Index runs, const std::string& run_name) const;

 private:
  struct Operation {
    std::string name;
    Profile::Nanoseconds serial = 0;
    std::vector<const Profile::Loop*> loops;
  };
  Profile::Nanoseconds time(const Operation& operation, std::size_t i) const;
  std::string reason(const Operation& operation, std::size_t i) const;

  std::vector<Profile::Nanoseconds> loop_costs_;
  std::vector<Operation> operations_;
};

}  // namespace regard::bench
