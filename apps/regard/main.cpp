#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

#include "apps/regard/command_line.h"
#include "apps/regard/environment.h"
#include "autograd/error.h"

namespace {

/// What was printed may still wait in a buffer; a full disk shows when that is emptied.
void finish_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  regard::fail("cannot write to standard output: {}", errno == 0 ? "it was cut short" : std::strerror(errno));
}

}  // namespace

int main(int argc, char** argv) {
  regard::program::limit_spinning(argv);
  std::signal(SIGXFSZ,
              SIG_IGN);  // a file-size limit is then an error of the write, reported like a full disk
  try {
    const int code = regard::program::run_command_line(argc, argv);
    finish_output();
    return code;
  } catch (const regard::Error& error) {
    std::fprintf(stderr, "regard: %s\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "regard: out of memory; try smaller batches or a smaller model\n");
  } catch (const std::filesystem::filesystem_error& error) {
    std::fprintf(stderr, "regard: %s: %s\n", error.path1().c_str(), error.code().message().c_str());
  } catch (const std::system_error& error) {  // what fmt::print throws
    std::fprintf(stderr, "regard: cannot write to standard output: %s\n", error.code().message().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "regard: unexpected error: %s\n", error.what());
  }
  return 1;
}
