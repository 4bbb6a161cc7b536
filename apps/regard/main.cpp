#include <csignal>
#include <cstdlib>
#include <exception>

#include "apps/regard/command_line.h"
#include "apps/regard/environment.h"
#include "apps/regard/failures.h"
#include "apps/regard/streams/standard_streams.h"

namespace {

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
  regard::program::prepare_standard_streams();
  regard::program::limit_spinning();
  // A write beyond a file-size limit then fails and is reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = regard::program::run_command_line(argc, argv);
    const bool stopped = code > 128;  // by a signal, perhaps because the reader of the output has ended
    if (!stopped) regard::program::flush_output();
    return code;
  } catch (...) {
    regard::program::complain_of_exception("regard: ");
  }
  return 1;
}
