// The program as a process: its name, its environment, its limits, and the streams that it was given.
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

namespace {

/// Runs a command of a shell first, and then the program in its place.
Words after(const std::string& command) { return {"sh", "-c", command + " && exec \"$@\"", "sh"}; }

/// The training has begun as soon as metrics.jsonl has a step.
bool has_begun(const std::string& model) { return !content(model + "/metrics.jsonl").empty(); }

}  // namespace

TEST_CASE("OpenMP's threads spin briefly, unless the user wants something else", "[program]") {
  const auto spin_briefly = [](const Words& variables) {
    Words launcher = {"env", "--unset=GOMP_SPINCOUNT", "--unset=KMP_BLOCKTIME", "OMP_DISPLAY_ENV=verbose"};
    launcher.insert(launcher.end(), variables.begin(), variables.end());
    const Outcome outcome = run({"translate", small_model()}, {.input = "one\n", .launcher = launcher});
    CHECK(outcome.code == 0);
    const bool gcc = outcome.err.find("GOMP_SPINCOUNT = '10000'") != std::string::npos;
    const bool llvm = outcome.err.find("KMP_BLOCKTIME='0'") != std::string::npos;
    return gcc || llvm;
  };
  CHECK(spin_briefly({}));
  CHECK(spin_briefly({"OMP_NUM_THREADS=2"}));
  CHECK_FALSE(spin_briefly({"OMP_WAIT_POLICY=active"}));
  CHECK_FALSE(spin_briefly({"GOMP_SPINCOUNT=7"}));
}

TEST_CASE("the program needs no environment", "[program]") {
  const Outcome outcome =
      run_well({"train", "--print-config"}, {.launcher = {"env", "--ignore-environment"}});
}

TEST_CASE("a second signal ends the program even if it is the first process of a container",
          "[program][long]") {
  const Words container = {"unshare", "--map-root-user", "--pid", "--fork", "--kill-child"};
  if (run({"train", "--print-config"}, {.launcher = container}).code != 0) {
    WARN("not tried: no container can be made");
    return;
  }
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  // Each translation has 250 tokens, so the validation after step 1 is long enough for two signals.
  Running running(
      train_command(model, {"training.steps=1000", "validation.every_steps=1", "validation.beam=12",
                            "decoding.min_length=250", "decoding.max_length=250", "training.log_every=1"}),
      container);
  wait_until(running, [&] { return has_begun(model); });
  ::kill(-running.process(), SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  ::kill(-running.process(), SIGINT);
  const Outcome outcome = running.wait();
  CHECK(outcome.code == 128 + SIGINT);
  CHECK_THAT(outcome.out, !ContainsSubstring("Stopped after step"));
}

TEST_CASE("a slow reader of a non-blocking output gets everything", "[program]") {
  const Outcome outcome = run({"train", "--print-config"}, {.slowly_read = true});
  CHECK(outcome.code == 0);
  CHECK(difference(outcome.out, run({"train", "--print-config"}).out) == "");
  std::string input, expected;
  for (int i = 0; i < 1'000; ++i) {
    input += "one X two\n";
    expected += fmt::format("regard: line {}: not in the vocabulary, read as <unk>: X\n", i + 1);
  }
  const Outcome translated =
      run({"translate", small_model(), "--beam", "1"}, {.input = input, .slowly_read = true});
  CHECK(translated.code == 0);
  CHECK(lines(translated.out).size() == 1'000);
  CHECK(difference(translated.err, expected) == "");
}

TEST_CASE("the program runs on a small stack", "[program]") {
  if (!can_limit_addresses) return;  // a sanitizer makes the frames larger
  const TemporaryDirectory directory;
  const Words small_stack = after("ulimit -s 64");
  const std::string model = directory / "model";
  CHECK(
      run(train_command(model, {"training.steps=2", "training.epochs=0"}), {.launcher = small_stack}).code ==
      0);
  const Outcome outcome = run({"translate", model}, {.input = "one two\n", .launcher = small_stack});
  CHECK(outcome.code == 0);
  CHECK(lines(outcome.out).size() == 1);
}

TEST_CASE("if the current directory was deleted, errors say so", "[program]") {
  const TemporaryDirectory directory;
  const std::string gone = directory / "gone";
  const auto refused = [&](const Words& arguments) {
    return run(arguments, {.launcher = after("mkdir " + gone + " && cd " + gone + " && rmdir " + gone)});
  };
  CHECK_REFUSED(refused({"train", "c.json", "--out", "m"}),
                "cannot read c.json: No such file or directory; the current directory was deleted");
  CHECK_REFUSED(refused({"translate", "m"}), "the current directory was deleted");
  CHECK_REFUSED(refused(evaluate_command(small_model(), {"--output", "o"})),
                "the current directory was deleted");
  CHECK(refusal(run({"translate", directory / "m"})).find("deleted") == std::string::npos);
}
