#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <unistd.h>

#include "apps/regard/command_line.h"
#include "apps/regard/environment.h"
#include "apps/regard/standard_streams.h"
#include "autograd/error.h"

namespace {

/// Writes the rest of the output buffer. Throws Error if that fails, for example on a full disk.
void finish_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  regard::fail("cannot write to standard output: {}", errno == 0 ? "it was cut short" : std::strerror(errno));
}

/// No relative path can be opened then, and the system calls every such file missing.
bool current_directory_was_deleted() {
  std::array<char, 1> too_short;
  return ::getcwd(too_short.data(), too_short.size()) == nullptr && errno == ENOENT;
}

/// Prints an error. Flushes standard output first, so that the order is right if both go to one file.
void complain(const char* sentence) {  // not std::string: there may be no memory for one
  std::fflush(stdout);
  std::fprintf(
      stderr, "regard: %s%s\n", sentence,
      current_directory_was_deleted() ? "; the current directory was deleted, so change to another one" : "");
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
  } catch (const regard::Error& error) {
    complain(error.what());
  } catch (const std::bad_alloc&) {
    complain("out of memory; try a smaller corpus, smaller batches or a smaller model");
  } catch (const std::filesystem::filesystem_error& error) {
    complain((error.path1().string() + ": " + error.code().message()).c_str());
  } catch (const std::system_error& error) {  // from fmt::print
    complain(("cannot write to standard output: " + error.code().message()).c_str());
  } catch (const std::exception& error) {
    complain((std::string("unexpected error: ") + error.what()).c_str());
  }
  return 1;
}
