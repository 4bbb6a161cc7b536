#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

#include "apps/processes/connect.h"
#include "apps/processes/several_processes.h"
#include "apps/regard/failures.h"
#include "apps/regard/launcher.h"
#include "autograd/machine/parallel.h"

namespace regard::program {

namespace {

using translation::Network;
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
    complain_of_exception(fmt::format("regard: rank {} on host {} has failed, so all processes end: ", rank,
                                      translation::host())
                              .c_str());
  }

 private:
  std::FILE* error_ = stderr;
};

/// Connects to the other processes. If that fails, only one of them says so.
std::unique_ptr<Network> connect() {
  const translation::Launched launched = translation::launched();
  try {
    return translation::connect(launched);
  } catch (...) {
    if (launched.rank == 0) throw;
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::_Exit(1);
  }
}

/// The processes that mpirun or another launcher has started, or this process alone.
class ManyProcesses : public Launcher {
  /// Each process gets its share of the processors of its machine. If `work` throws in one process, all
  /// processes end, and one sentence on standard error tells the reason and, unless it is the first process,
  /// the rank and the host. If their version or options differ, nothing is done.
  int run(const std::vector<translation::Fact>& options, const Work& work) const override {
    const std::unique_ptr<Network> network = connect();
    if (network == nullptr) return Launcher::run(options, work);
    translation::SeveralProcesses processes(*network);
    std::unique_ptr<SilentStreams> silent;
    if (!processes.first()) silent = std::make_unique<SilentStreams>();
    try {
      // The first difference decides, and another version or command may have other options behind it.
      processes.agree_on_version();
      processes.agree_on(options, "start all processes with the same command and options");
      const int share = processes.share_of_processors();
      if (std::getenv("OMP_NUM_THREADS") == nullptr && std::getenv("OMP_THREAD_LIMIT") == nullptr)
        set_threads(share, "share of this process");
      const int code = work(processes);
      // mpirun ends all processes as soon as one has another code than 0; the first one decides the code.
      return processes.first() ? code : 0;
    } catch (...) {
      if (silent)
        silent->complain(processes.rank());
      else
        complain_of_exception("regard: ");
      network->abort();
      return 1;
    }
  }

  /// Open MPI gives its processes a pseudo-terminal even if its own output goes into a file.
  bool prints_on_terminal(const Processes& processes) const override {
    if (!Launcher::prints_on_terminal(processes)) return false;
    if (processes.alone()) return true;
    // The parent is mpirun, or its helper on another machine.
    std::error_code ignored;
    const auto output =
        std::filesystem::read_symlink(fmt::format("/proc/{}/fd/1", ::getppid()), ignored).string();
    return output.starts_with("/dev/pts/") || output.starts_with("/dev/tty");
  }

  std::string example(const std::string& arguments) const override {
    return "  mpirun -n 2 regard " + arguments + "\n";
  }

  std::string version() const override { return "MPI          " + translation::mpi_version() + "\n"; }
};

}  // namespace

std::shared_ptr<Launcher> processes_launcher() { return std::make_shared<ManyProcesses>(); }

}  // namespace regard::program
