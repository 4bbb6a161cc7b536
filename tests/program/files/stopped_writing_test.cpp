// A command that writes a directory is stopped by a signal, killed, or out of space. The directory is whole
// or not there, and nothing is in the way of the next run.
#include <csignal>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// A model with so many weights that it can be stopped while they are written.
const std::string& large_model() {
  static const TemporaryDirectory directory;
  static const std::string path = [] {
    const Outcome outcome =
        run(train_command(directory / "model", {"training.steps=1", "model.d_ff=50000",
                                                "data.validation_source=", "data.validation_target="}));
    if (outcome.code != 0) throw std::runtime_error(outcome.err);
    return directory / "model";
  }();
  return path;
}

/// The commands, without the path of the directory, which is the next word.
std::vector<Words> writers() {
  return {{"convert", large_model(), "--out"},
          {"export", large_model(), "--format", "pytorch", "--out"},
          {"import", REGARD_FIXTURES "/marian/tied", "--out"},
          {"toy", "scenes", "--train", "400", "--validation", "1", "--test", "1", "--out"}};
}

}  // namespace

TEST_CASE("a signal while a directory is written ends the command when it is whole", "[program]") {
  for (const Words& command : writers()) {
    CAPTURE(command);
    const TemporaryDirectory directory;
    run_well(joined(command, {directory / "whole"}));
    const auto names = [&](const std::string& name) {
      Words result;
      for (const auto& entry : files_below(directory / name)) result.push_back(entry.first);
      return result;
    };
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      std::filesystem::remove_all(directory / "out");
      Running running(joined(command, {directory / "out"}));
      wait_until(running, [&] { return in_the_middle_of_a_save(directory / ""); });
      running.send(signal);
      const Outcome outcome = running.wait();
      if (outcome.code != 0) CHECK(outcome.code == 128 + signal);  // 0: it was faster than the signal
      CHECK(names("out") == names("whole"));
      CHECK(directory.entries() == 2);
    }
  }
}

TEST_CASE("a command that was killed while it wrote a directory can be run again", "[program]") {
  for (const Words& command : writers()) {
    CAPTURE(command);
    const TemporaryDirectory directory;
    Running running(joined(command, {directory / "out"}));
    wait_until(running, [&] { return in_the_middle_of_a_save(directory / ""); });
    running.send(SIGKILL);
    if (running.wait().code == 0) continue;  // it was faster
    const Outcome again = run_well(joined(command, {directory / "out"}));
  }
}

TEST_CASE("a full disk leaves no directory", "[program]") {
  const TemporaryDirectory directory;
  for (const Words& command : {writers()[0], writers()[1]}) {
    CAPTURE(command);
    CHECK_REFUSED(run(joined(command, {directory / "out"}), {.file_size = 100'000}), "File too large");
    CHECK(directory.entries() == 0);
  }
}
