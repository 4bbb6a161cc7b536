#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "apps/regard/command_line.h"
#include "apps/regard/environment.h"
#include "apps/regard/failures.h"
#include "apps/regard/streams/standard_streams.h"
#include "autograd/error.h"

namespace {

/// Writes the rest of the output buffer. Throws Error if that fails, for example on a full disk.
void finish_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  regard::fail("cannot write to standard output: {}", errno == 0 ? "it was cut short" : std::strerror(errno));
}

/// From now on, an exception that nothing can catch ends the program with one sentence and exit code 1.
/// Memory can run out in a thread, in a destructor, in a function of a library that is noexcept, and in the
/// constructors of global variables. This function runs before them.
[[gnu::constructor(101)]] void complain_of_uncaught_exceptions() {
  std::set_terminate([] {
    if (!std::current_exception()) std::abort();
    regard::program::complain_of_exception("regard: ");
    std::_Exit(EXIT_FAILURE);
  });
}

}  // namespace

int main(int argc, char** argv) {
  regard::program::occupy_standard_descriptors();
  regard::program::wait_for_slow_readers();
  regard::program::limit_spinning();
  // A write beyond a file-size limit then fails and is reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = regard::program::run_command_line(argc, argv);
    const bool stopped = code > 128;  // by a signal, perhaps because the reader of the output has ended
    if (!stopped) finish_output();
    return code;
  } catch (...) {
    regard::program::complain_of_exception("regard: ");
  }
  return 1;
}
