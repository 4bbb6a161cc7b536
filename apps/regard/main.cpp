#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include "apps/regard/command_line.h"
#include "apps/regard/failures.h"
#include "apps/regard/streams.h"

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

char spin_count[] = "GOMP_SPINCOUNT=10000";  // about 100 microseconds

bool chosen_by_user = false;
char* displaced_path = nullptr;  ///< "PATH=…" while GOMP_SPINCOUNT stands in its place

#ifdef __GLIBC__
void set_spin_count(int, char**, char** environment) {
  char** place = nullptr;
  for (char** variable = environment; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    for (const std::string_view name : {"OMP_WAIT_POLICY=", "GOMP_SPINCOUNT=", "KMP_BLOCKTIME="})
      chosen_by_user = chosen_by_user || text.starts_with(name);
    if (text.starts_with("PATH=")) place = variable;
  }
  if (chosen_by_user || place == nullptr) return;
  displaced_path = *place;
  *place = spin_count;
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_all_libraries)(int, char**,
                                                                                 char**) = set_spin_count;
#endif

/// Shortens the time for which OpenMP's threads spin while they wait for the next parallel loop. By default,
/// they spin for milliseconds with GCC's library and for 200 ms with LLVM's. If other programs need the
/// processors, each loop then waits for a thread that has no processor, and the program runs fifty times
/// slower. Some 100 microseconds are enough. Does nothing if the
/// user has set one of the variables OMP_WAIT_POLICY, GOMP_SPINCOUNT and KMP_BLOCKTIME.
///
/// LLVM's OpenMP reads its variables at the first parallel loop, so limit_spinning() sets KMP_BLOCKTIME in
/// time.
///
/// GCC's OpenMP reads GOMP_SPINCOUNT in its constructor, when the library is loaded. Only the functions in
/// the .preinit_array of an executable run earlier. setenv() has no effect there, because the C library takes
/// the environment later, from the array that the kernel made. That array has no room for a further variable.
/// So GOMP_SPINCOUNT stands in the place of PATH until limit_spinning() adds PATH again. No constructor needs
/// PATH. If there is no PATH, the threads spin longer, and everything else is the same.
void limit_spinning() {
  if (displaced_path != nullptr) putenv(displaced_path);
  if (!chosen_by_user) setenv("KMP_BLOCKTIME", "0", 1);
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

int main(int argc, char** argv) {
  prepare_standard_streams();
  limit_spinning();
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
