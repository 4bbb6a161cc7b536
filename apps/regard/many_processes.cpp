#include "apps/regard/many_processes.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

#include "apps/regard/failures.h"
#include "autograd/machine/parallel.h"

namespace regard::program {

namespace {

using translation::Processes;

/// The streams of a process that is not the first. Its standard output and its warnings go nowhere; only
/// complain() reaches the user.
class SilentStreams {
 public:
  SilentStreams() {
    std::fflush(stdout);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) std::fclose(stdout);
    if (std::FILE* const nowhere = std::fopen("/dev/null", "w")) stderr = nowhere;
  }
  /// Prints a sentence about the exception that is being handled.
  void complain(Index rank) {
    // Often all processes have the same error. Then the first one says it, and ends the others meanwhile.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    stderr = error_;
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host = {};
    complain_of_exception(
        fmt::format("regard: rank {} on host {} has failed, so all processes end: ", rank, host.data())
            .c_str());
  }

 private:
  std::FILE* error_ = stderr;
};

/// Connects to the other processes. If that fails, only one of them says so.
std::unique_ptr<Processes> connect() {
  const translation::Launched launched = translation::launched();
  try {
    return translation::connect(launched);
  } catch (...) {
    if (launched.rank == 0) throw;
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::_Exit(1);
  }
}

}  // namespace

int on_all_processes(const std::vector<translation::Fact>& options,
                     const std::function<int(Processes& processes)>& work) {
  const std::unique_ptr<Processes> several = connect();
  if (several == nullptr) return work(translation::one_process());
  std::unique_ptr<SilentStreams> silent;
  if (!several->first()) silent = std::make_unique<SilentStreams>();
  try {
    // The first difference decides, and another version or command may have other options behind it.
    translation::check_same_program(*several, true);
    check_agreement(*several, options, "start all processes with the same command and options");
    const int share = translation::share_of_processors(*several);
    if (std::getenv("OMP_NUM_THREADS") == nullptr && std::getenv("OMP_THREAD_LIMIT") == nullptr)
      set_threads(share, "share of this process");
    const int code = work(*several);
    // mpirun ends all processes as soon as one has another code than 0; the first one decides the code.
    return several->first() ? code : 0;
  } catch (...) {
    if (silent)
      silent->complain(several->rank());
    else
      complain_of_exception("regard: ");
    several->abort();
    return 1;
  }
}

bool prints_on_terminal(const Processes& processes) {
  if (::isatty(STDOUT_FILENO) == 0) return false;
  if (processes.alone()) return true;
  // The parent is mpirun, or its helper on another machine.
  std::error_code ignored;
  const auto output =
      std::filesystem::read_symlink(fmt::format("/proc/{}/fd/1", ::getppid()), ignored).string();
  return output.starts_with("/dev/pts/") || output.starts_with("/dev/tty");
}

}  // namespace regard::program
