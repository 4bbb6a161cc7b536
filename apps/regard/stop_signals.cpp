#include "apps/regard/stop_signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <string_view>
#include <unistd.h>

namespace regard::program {

namespace {

// A handler may run in any thread, and a second one while the first still does.
std::atomic<int> received_signal = 0;
std::atomic<std::int64_t> first_came_at = 0;  // nanoseconds of the steady clock; 0: none has come
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "handlers must not wait");

constexpr std::array stopping{SIGINT, SIGTERM, SIGHUP};

/// Who started the program in the background may have it ignore Ctrl-C, or nohup the end of the terminal;
/// that stays.
void handle(int signal, void (*handler)(int)) {
  if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

/// timeout(1) sends its signal to the program and again to all of its group: within this time, two are one.
constexpr std::int64_t moment = 500'000'000;  // nanoseconds

constexpr std::string_view announcement =
    "\nregard: stopping as soon as this step, and a validation that is due, are done and saved; a second "
    "signal ends the program at once\n";

void remember(int signal) {
  const int error = errno;  // of the call that was interrupted
  timespec clock{};
  ::clock_gettime(CLOCK_MONOTONIC, &clock);
  const std::int64_t now = std::int64_t{1'000'000'000} * clock.tv_sec + clock.tv_nsec;
  std::int64_t first = 0;
  if (first_came_at.compare_exchange_strong(first, now)) {
    received_signal = signal;
    // Perhaps nobody can be told.
    [[maybe_unused]] const auto told = ::write(STDERR_FILENO, announcement.data(), announcement.size());
  } else if (now - first >= moment) {
    for (const int each : stopping) handle(each, SIG_DFL);
    ::raise(signal);  // comes when this handler has returned
  }
  errno = error;
}

}  // namespace

StopSignals::StopSignals() {
  received_signal = 0;
  first_came_at = 0;
  for (const int signal : stopping) handle(signal, remember);
}

StopSignals::~StopSignals() {
  for (const int signal : stopping) handle(signal, SIG_DFL);
}

int StopSignals::received() { return received_signal; }

}  // namespace regard::program
