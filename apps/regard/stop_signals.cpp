#include "apps/regard/stop_signals.h"

#include <csignal>
#include <initializer_list>

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
  for (const int signal : {SIGINT, SIGTERM})
    // Who started the program in the background may have it ignore Ctrl-C; that stays.
    if (std::signal(signal, remember) == SIG_IGN) std::signal(signal, SIG_IGN);
}

StopSignals::~StopSignals() {
  for (const int signal : {SIGINT, SIGTERM})
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

int StopSignals::received() { return received_signal; }

}  // namespace regard::program
