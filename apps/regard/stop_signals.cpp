#include "apps/regard/stop_signals.h"

#include <array>
#include <csignal>
#include <ctime>
#include <string_view>
#include <unistd.h>

namespace regard::program {

namespace {

volatile std::sig_atomic_t received_signal = 0;

constexpr std::array stopping{SIGINT, SIGTERM, SIGHUP};

/// Who started the program in the background may have it ignore Ctrl-C, or nohup the end of the terminal;
/// that stays.
void handle(int signal, void (*handler)(int)) {
  if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

/// timeout(1) sends its signal to the program and again to all of its group: within this time, two are one.
constexpr double moment = 0.5;  // seconds

constexpr std::string_view announcement =
    "\nregard: stopping as soon as this step, and a validation that is due, are done and saved; a second "
    "signal ends the program at once\n";

void remember(int signal) {
  static timespec first;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (received_signal == 0) {
    received_signal = signal;
    first = now;
    if (::write(STDERR_FILENO, announcement.data(), announcement.size()) < 0) return;  // nobody can be told
    return;
  }
  const double since = static_cast<double>(now.tv_sec - first.tv_sec) +
                       1e-9 * static_cast<double>(now.tv_nsec - first.tv_nsec);
  if (since < moment) return;
  for (const int each : stopping) handle(each, SIG_DFL);
  ::raise(signal);  // comes when this handler has returned
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
