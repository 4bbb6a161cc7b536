#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <unistd.h>

#include "apps/regard/command_line.h"
#include "apps/regard/environment.h"
#include "autograd/error.h"

namespace {

/// A standard descriptor that was closed before the program began would be given to the first file that it
/// opens, and messages would go into that. This one fails as the closed one would.
void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0)
      ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // takes the lowest that is free
}

/// What was printed may still wait in a buffer; a full disk shows when that is emptied.
void finish_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  regard::fail("cannot write to standard output: {}", errno == 0 ? "it was cut short" : std::strerror(errno));
}

/// After what was printed before, also where both go to one file.
void complain(const char* sentence) {  // no string: memory may be what is lacking
  std::fflush(stdout);
  std::fprintf(stderr, "regard: %s\n", sentence);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  regard::program::limit_spinning(argv);
  // A file-size limit is then an error of the write, reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = regard::program::run_command_line(argc, argv);
    const bool stopped = code > 128;  // by a signal, which perhaps came because nobody reads any more
    if (!stopped) finish_output();
    return code;
  } catch (const regard::Error& error) {
    complain(error.what());
  } catch (const std::bad_alloc&) {
    complain("out of memory; try smaller batches or a smaller model");
  } catch (const std::filesystem::filesystem_error& error) {
    complain((error.path1().string() + ": " + error.code().message()).c_str());
  } catch (const std::system_error& error) {  // what fmt::print throws
    complain(("cannot write to standard output: " + error.code().message()).c_str());
  } catch (const std::exception& error) {
    complain((std::string("unexpected error: ") + error.what()).c_str());
  }
  return 1;
}
