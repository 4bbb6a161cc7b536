// If a file cannot be written, the program says so in one sentence and leaves the old files unchanged. A
// command that writes a directory is stopped by a signal, killed, or out of space: the directory is whole or
// not there, and nothing is in the way of the next run.
#include <csignal>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

using Files = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("a model cannot be written below a file", "[program]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("file", "x");
  CHECK_REFUSED(run(train_command(file, {"training.steps=1"})), "cannot make the directory " + file);
  CHECK_REFUSED(run(train_command(file + "/model", {"training.steps=1"})),
                "cannot make the directory " + file + "/model: Not a directory");
  CHECK_REFUSED(run(joined(train_command(file + "/model", {"training.steps=1"}), {"--overwrite"})),
                file + "/model");
  CHECK(files_below(directory / "") == Files{{"file", "x"}});
}

TEST_CASE("standard output can be full", "[program]") {
  const std::string full = "/dev/full";
  if (!std::filesystem::is_character_file(full)) {
    WARN("not tried: there is no " + full);
    return;
  }
  const TemporaryDirectory directory;
  const std::string cannot = "cannot write to standard output: No space left on device";
  CHECK_REFUSED(run({"--help"}, {.output_path = full}), cannot);
  CHECK_REFUSED(run({"--version"}, {.output_path = full}), cannot);
  CHECK_REFUSED(run({"train", "--print-config"}, {.output_path = full}), "cannot write to standard output");
  if (has_command("inspect")) CHECK_REFUSED(run({"inspect", small_model()}, {.output_path = full}), cannot);
  CHECK_REFUSED(run({"toy", "copy", "--out", directory / "toy"}, {.output_path = full}), cannot);
  // A training continues.
  CHECK_REFUSED(run(train_command(directory / "model", {"training.steps=1"}), {.output_path = full}), cannot);
  CHECK(run({"translate", directory / "model", "--beam", "1"}, {.input = "one\n"}).code == 0);
  CHECK_REFUSED(run(evaluate_command(small_model(), {"--beam", "1"}), {.output_path = full}), cannot);
  CHECK_REFUSED(run({"translate", small_model()}, {.input = "one\n", .output_path = full}), cannot);
}

TEST_CASE("if the first state cannot be written, the old model stays complete", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = copy_of_small_model(directory);
  const Files before = files_below(model);
  // LLVM's OpenMP needs a shared file of 1,024 bytes to start; the configuration is longer.
  CHECK_REFUSED(run(joined(train_command(model), {"--overwrite"}), {.file_size = 1100}),
                "cannot write " + model + "/state/0.safetensors: File too large");
  CHECK(files_below(model) == before);
}

TEST_CASE("the best weights remain if the log has no room on the disk", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  // The smallest model and the longest log: states of about 40 kB, 200 bytes of metrics per step.
  const Outcome outcome =
      run(train_command(model, {"model.d_model=8", "model.d_ff=8", "training.batch_tokens=40",
                                "training.steps=500", "validation.every_steps=20", "training.log_every=1"}),
          {.file_size = 60'000});
  CHECK_REFUSED(outcome, "cannot write " + model + "/metrics.jsonl: File too large");
  const Outcome translated = run_well({"translate", model}, {.input = "one\n"});
}

TEST_CASE("an output that cannot be written is refused before a corpus is read", "[program]") {
  const TemporaryDirectory directory;
  const std::string unread = "data.source=" + directory / "not there";
  CHECK_REFUSED(run(train_command(directory / "model", {unread})), "not there");
  CHECK(directory.entries() == 0);
  std::filesystem::create_directory(directory / "model");
  directory.file("model/state", "");
  CHECK_REFUSED(run(train_command(directory / "model", {unread})),
                "cannot make the directory " + directory / "model/state");
  if (!std::filesystem::is_directory("/proc/self")) return;
  // Root has the permission to write there, but nobody can.
  CHECK_REFUSED(run(train_command("/proc/model", {unread})), "cannot write into the directory /proc: ");
  if (has_command("vocabulary"))
    CHECK_REFUSED(run({"vocabulary", "--input", directory / "not there", "--output", "/proc/x"}),
                  "cannot write into the directory /proc: ");
}

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
  return those_built({{"convert", large_model(), "--out"},
                      {"export", large_model(), "--format", "pytorch", "--out"},
                      {"import", REGARD_FIXTURES "/marian/tied", "--out"},
                      {"toy", "scenes", "--train", "400", "--validation", "1", "--test", "1", "--out"}});
}

}  // namespace

TEST_CASE("a signal while a directory is written ends the command when it is whole", "[program][long]") {
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

TEST_CASE("a signal while a training writes its first files leaves no temporary file", "[program]") {
  const TemporaryDirectory directory;
  const Words command = train_command(directory / "model", {"training.steps=100000", "model.d_ff=50000"});
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove_all(directory / "model");
    Running training(command);
    wait_until(training, [&] { return in_the_middle_of_a_save(directory / ""); });
    training.send(signal);
    const Outcome outcome = training.wait();
    CHECK(outcome.code == 128 + signal);
    CHECK_CONTAINS(outcome.err, "stopping as soon as ");
    CHECK_FALSE(in_the_middle_of_a_save(directory / "model"));
    CHECK(newest_step(directory / "model") >= 0);
    CHECK(files_below(directory / "model").contains("config.json"));
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
  for (const Words& command : writers()) {
    if (command.front() == "import" || command.front() == "toy") continue;  // their files are small
    CAPTURE(command);
    CHECK_REFUSED(run(joined(command, {directory / "out"}), {.file_size = 100'000}), "File too large");
    CHECK(directory.entries() == 0);
  }
}
