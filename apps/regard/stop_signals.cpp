#include "apps/regard/stop_signals.h"

#include <array>
#include <csignal>

namespace regard::program {

namespace {

volatile std::sig_atomic_t received_signal = 0;  // the only thing that a handler may write to

constexpr std::array stopping{SIGINT, SIGTERM};

/// Who started the program in the background may have it ignore Ctrl-C; that stays.
void handle(int signal, void (*handler)(int)) {
  if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

void remember(int signal) {
  if (received_signal == 0) received_signal = signal;
  for (const int next : stopping) handle(next, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals() {
  received_signal = 0;
  for (const int signal : stopping) handle(signal, remember);
}

StopSignals::~StopSignals() {
  for (const int signal : stopping) handle(signal, SIG_DFL);
}

int StopSignals::received() { return received_signal; }

}  // namespace regard::program
