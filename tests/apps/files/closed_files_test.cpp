// Files and directories without permission. They are not treated as damaged or missing.
#include <array>
#include <filesystem>
#include <functional>
#include <grp.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/translation/files/files.h"
#include "autograd/machine/error.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::to_size;

namespace {

/// Calls `work` in a process without root's privileges, and returns its result.
std::string as_nobody(const std::function<std::string()>& work) {
  constexpr unsigned nobody = 65534;
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) throw std::runtime_error("no pipe could be made");
  const pid_t child = ::fork();
  if (child == 0) {
    const bool root = ::geteuid() == 0;
    if (root && (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0)) ::_exit(1);
    const std::string result = work();
    ::_exit(::write(pipe[1], result.data(), result.size()) < 0 ? 1 : 0);
  }
  ::close(pipe[1]);
  std::string result;
  std::array<char, 512> block{};
  for (ssize_t size = 0; (size = ::read(pipe[0], block.data(), block.size())) > 0;)
    result.append(block.data(), to_size(size));
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? result : "the process failed";
}

using std::filesystem::perms;

void allow(const std::string& path, perms permissions) { std::filesystem::permissions(path, permissions); }

constexpr perms all_may_look = perms(0755), nobody_may_write = perms(0555);

}  // namespace

TEST_CASE("an error names a directory without permission, and the reason", "[closed]") {
  const TemporaryDirectory directory;
  const std::string closed = directory / "closed";
  allow(directory / "", all_may_look);
  std::filesystem::create_directory(closed);
  const auto checked = [&](const std::string& path) {
    return as_nobody([&] { return MESSAGE_OF(check_directory(path)); });
  };
  allow(closed, perms(0777));
  CHECK_CONTAINS(checked(closed), "no error was thrown");
  allow(closed, nobody_may_write);
  CHECK(checked(closed) == "cannot write into the directory " + closed + ": Permission denied");
  CHECK(checked(closed + "/new/one") == "cannot write into the directory " + closed + ": Permission denied");
  std::filesystem::create_symlink(closed + "/nothing", directory / "link");
  CHECK(MESSAGE_OF(check_directory(directory / "link")) ==
        "cannot make the directory " + directory / "link" + ": it is a link to a path that does not exist");
}

TEST_CASE("states and weights without permission to read are not treated as missing or damaged", "[closed]") {
  const SmallTraining training = eventful_training();
  const TemporaryDirectory temporary;
  const ModelDirectory directory(temporary / "model");
  train(training, directory);
  allow(temporary / "", all_may_look);
  const auto resumed = [&] { return as_nobody([&] { return MESSAGE_OF(start(training, directory)); }); };
  const auto closed_and_opened = [&](const std::string& path) {
    allow(path, perms::none);
    const std::string message = resumed();
    allow(path, perms(0777));
    return message;
  };
  const std::string state = directory.path() + "/state", checkpoints = directory.path() + "/checkpoints";
  for (const std::string& path : {directory.path(), state}) allow(path, perms(0777));
  CHECK(closed_and_opened(state) == "cannot read the directory " + state + ": Permission denied");
  CHECK_CONTAINS(closed_and_opened(checkpoints), "cannot look at " + checkpoints + "/");
  const std::string newest = directory.states.file(directory.states.steps().front());
  CHECK(closed_and_opened(newest) == "cannot read " + newest + ": Permission denied");
  const std::string weights = directory.weights();
  CHECK(closed_and_opened(weights) == "cannot read " + weights + ": Permission denied");
}
