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

// Handlers may run in any thread, and a second handler may start before the first one ends.
std::atomic<int> received_signal = 0;
std::atomic<std::int64_t> first_came_at = 0;  // nanoseconds of the steady clock; 0: no signal yet
std::atomic<const char*> announced = "";
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free,
              "handlers must not wait");

constexpr std::array stopping{SIGINT, SIGTERM, SIGHUP, SIGUSR1};

/// Sets the handler, except for a signal that the program was started to ignore: a shell does so with Ctrl-C
/// for programs in the background, and nohup with SIGHUP.
void handle(int signal, void (*handler)(int)) {
  if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

/// timeout(1) sends its signal twice: to the program and to its process group. Two signals within this time
/// count as one.
constexpr std::int64_t moment = 500'000'000;  // nanoseconds

void remember(int signal) {
  const int error = errno;  // the interrupted call may need it
  timespec clock{};
  ::clock_gettime(CLOCK_MONOTONIC, &clock);
  const std::int64_t now = std::int64_t{1'000'000'000} * clock.tv_sec + clock.tv_nsec;
  std::int64_t first = 0;
  if (first_came_at.compare_exchange_strong(first, now)) {
    received_signal = signal;
    // Standard error may be closed; nothing can be done then.
    const std::string_view text = announced.load();
    [[maybe_unused]] const auto told = ::write(STDERR_FILENO, text.data(), text.size());
  } else if (now - first >= moment) {
    if (::getpid() == 1) ::_exit(128 + signal);  // for process 1, Linux ignores signals without a handler
    for (const int each : stopping) handle(each, SIG_DFL);
    ::raise(signal);  // delivered when this handler has returned
  }
  errno = error;
}

}  // namespace

StopSignals::StopSignals(const char* announcement) {
  announced = announcement;
  received_signal = 0;
  first_came_at = 0;
  for (const int signal : stopping) handle(signal, remember);
}

StopSignals::~StopSignals() {
  for (const int signal : stopping) handle(signal, SIG_DFL);
}

int StopSignals::received() { return received_signal; }

}  // namespace regard::program
