#pragma once

namespace regard::program {

/// While an object of this class exists, the first SIGINT (Ctrl-C), SIGTERM, SIGHUP (the terminal was
/// closed) or SIGUSR1 (which mpirun and Slurm pass on) only asks the program to stop, and an announcement on
/// standard error says so. A second signal of any of these kinds, at least half a second later, ends the
/// program at once. At most one object may exist at a time.
class StopSignals {
 public:
  /// `announcement` must outlive the object.
  explicit StopSignals(const char* announcement);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  /// Returns the first signal that arrived; 0: none.
  static int received();
};

}  // namespace regard::program
