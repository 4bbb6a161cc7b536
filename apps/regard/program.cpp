#include "apps/regard/program.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

#include "apps/regard/command_line.h"
#include "apps/regard/failures.h"
#include "apps/regard/launcher.h"
#include "apps/regard/streams.h"

namespace regard::program {

namespace {

/// From now on, an exception that nothing can catch ends the program with one sentence and exit code 1.
/// Memory can run out in a thread, in a destructor, in a function of a library that is noexcept, and in the
/// constructors of global variables. This function runs before them.
[[gnu::constructor(101)]] void complain_of_uncaught_exceptions() {
  std::set_terminate([] {
    if (!std::current_exception()) std::abort();
    std::_Exit(complain_of_exception("regard: "));
  });
}

/// Makes the standard streams ready for use.
void prepare_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int flags = ::fcntl(descriptor, F_GETFL);
    // The first file that the program opens would get the number of a closed descriptor, and messages would
    // go into that file. With this mode, reads or writes fail as on a closed descriptor.
    if (flags < 0) ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    // The C library drops text that a slow reader of a non-blocking descriptor does not take at once.
    else if ((flags & O_NONBLOCK) != 0)
      ::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
  }
}

}  // namespace

int run_program(int argc, const char* const* argv, const translation::MakeModel& own_model) {
  prepare_standard_streams();
  // A write beyond a file-size limit then fails and is reported like a full disk. A write into a pipe that
  // nobody reads fails, too, and the command decides what follows (streams.h).
  for (const int signal : {SIGXFSZ, SIGPIPE}) std::signal(signal, SIG_IGN);
  try {
    const int code = run_command_line(argc, argv, all_commands(), launcher(), own_model);
    const bool stopped = code > 128;  // by a signal, perhaps because the reader of the output has ended
    if (!stopped) flush_output();
    return code;
  } catch (...) {
    return complain_of_exception("regard: ");
  }
}

}  // namespace regard::program
