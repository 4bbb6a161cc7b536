#pragma once

namespace regard::program {

/// While one exists, the first SIGINT (Ctrl-C), SIGTERM or SIGHUP (the terminal was closed) only asks to
/// stop, and is answered on standard error; a second one, of any kind and not within half a second, ends the
/// program at once. There can be one at a time.
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
