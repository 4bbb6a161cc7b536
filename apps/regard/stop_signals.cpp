#include "apps/regard/stop_signals.h"

#include <csignal>

namespace regard::program {

namespace {

volatile std::sig_atomic_t received_signal = 0;  // the only thing that a handler may write to

void remember(int signal) {
  received_signal = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals() {
  received_signal = 0;
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
}

StopSignals::~StopSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

int StopSignals::received() { return received_signal; }

}  // namespace regard::program
