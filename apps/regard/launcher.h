#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "apps/translation/processes/processes.h"

namespace regard::program {

/// How the work of a command begins: this class does it in one process. A room may derive from it. It names
/// LAUNCHERS name in its CMakeLists.txt, and has std::shared_ptr<Launcher> name_launcher() in
/// name_launcher.cpp.
class Launcher {
 public:
  using Work = std::function<int(translation::Processes& processes)>;

  virtual ~Launcher() = default;

  /// Calls `work` and returns its exit code. Several processes first compare these options. Only the first
  /// one prints; the standard output and the warnings of the others go nowhere.
  virtual int run(const std::vector<translation::Fact>& /*options*/, const Work& work) const {
    return work(translation::one_process());
  }

  /// True if standard output is a terminal that a person reads.
  virtual bool prints_on_terminal(const translation::Processes& /*processes*/) const {
    return ::isatty(STDOUT_FILENO) != 0;
  }

  /// A line of examples for --help: how several processes run a command with these arguments.
  virtual std::string example(const std::string& /*arguments*/) const { return ""; }

  /// A line of --version.
  virtual std::string version() const { return ""; }
};

/// Those of the rooms that are built; commands/CMakeLists.txt.
std::vector<std::shared_ptr<Launcher>> all_launchers();

/// The launcher of this program.
const Launcher& launcher();

}  // namespace regard::program
