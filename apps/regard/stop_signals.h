#pragma once

namespace regard::program {

/// While one exists, the first SIGINT (Ctrl-C) or SIGTERM only asks to stop; a second one, of either kind and
/// not within half a second, ends the program at once. There can be one at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  /// The signal that came, the first if there were two; 0: none.
  static int received();
};

}  // namespace regard::program
