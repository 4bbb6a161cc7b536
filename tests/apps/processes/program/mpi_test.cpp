// The program on several processes that mpirun starts. Without mpirun or the module, the tests only say so.
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "autograd/machine/random.h"
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using regard::Index;

namespace {

/// The command that starts the program on this number of processes.
Words mpirun(int processes, const Words& options = {}) {
  // Open MPI refuses to run as root, and its own allocations count as leaks. Without a free processor each
  // process gives way while it waits.
  const Words launcher = {"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                          "ASAN_OPTIONS=detect_leaks=0", "mpirun"};
  return joined(joined(launcher, options), {"--oversubscribe", "-n", std::to_string(processes)});
}

/// Two processes, the second of which runs a command of a shell first.
Circumstances second_does(const std::string& command, const Words& options = {}) {
  const std::string script = "[ $OMPI_COMM_WORLD_RANK = 1 ] && " + command + "; exec \"$@\"";
  return {.launcher = joined(mpirun(2, options), {"sh", "-c", script, "sh"})};
}

/// True if the program has MPI and mpirun works. Warns otherwise.
bool has_mpi() {
  static const bool found = [] {
    const bool module = run({"--version"}).out.find("MPI          none") == std::string::npos;
    const bool launcher = std::system("command -v mpirun > /dev/null") == 0;
    return module && launcher;
  }();
  if (!found) WARN("skipped: there is no MPI; install libopenmpi-dev and openmpi-bin");
  return found;
}

Words sharded(const std::string& model, const Words& more = {}) {
  return eventful(model, joined({"training.shards=4", "training.steps=30", "training.threads=1"}, more));
}

/// A training on one process, made once.
const std::string& model_of_one() {
  static const TemporaryDirectory directory;
  static const std::string path = [] {
    run(sharded(directory / "model"));
    return directory / "model";
  }();
  return path;
}

/// The one sentence of the program; mpirun adds lines of its own.
std::string sentence(const Outcome& outcome) {
  std::string found;
  int count = 0;
  for (const std::string& line : lines(outcome.err + outcome.out))
    if (line.starts_with("regard: ")) found = line, ++count;
  return count == 1 && outcome.code != 0 ? found : "(not one sentence) " + outcome.err;
}

/// The processes of the program that this mpirun has started.
std::vector<int> ranks_of(int mpirun_process) {
  std::vector<int> ranks;
  const std::string task = "/proc/" + std::to_string(mpirun_process);
  std::ifstream children(task + "/task/" + std::to_string(mpirun_process) + "/children");
  for (int child = 0; children >> child;) ranks.push_back(child);
  return ranks;
}

}  // namespace

TEST_CASE("the version names the MPI library, and help has an example with mpirun", "[program]") {
  const Words found = lines(run_well({"--version"}).out);
  REQUIRE(found.size() == 10);
  CHECK_THAT(found[6], Matches("MPI          (none: .*|Open MPI v.*|MPICH .*)"));
  for (const std::string command : {"train", "evaluate", "translate"})
    CHECK_CONTAINS(run_well({command, "--help"}).out, "\n  mpirun -n 2 regard " + command + " ");
}

TEST_CASE("processes started by mpirun train to the same bits as one", "[program][mpi]") {
  if (!has_mpi()) return;
  for (const int processes : {2, 4}) {
    const TemporaryDirectory directory;
    const std::string model = directory / "model";
    const Outcome outcome = run(sharded(model), {.launcher = mpirun(processes)});
    CAPTURE(outcome.out, outcome.err);
    CHECK(outcome.code == 0);
    CHECK_CONTAINS(outcome.out, " parameters in each of " + std::to_string(processes) + " processes\n");
    CHECK(outcome.err.empty());
    check_same_results(model, model_of_one());
  }
}

TEST_CASE("in bfloat16, two processes train to the same bits as one", "[program][mpi]") {
  if (!has_mpi() || !has_command("convert")) return;  // one room has both
  const TemporaryDirectory directory;
  const Words emulated = {"env", "REGARD_BFLOAT16=emulate"},
              bfloat16 = {"--set", "training.precision=bfloat16"};
  const std::string one = directory / "one", two = directory / "two";
  CHECK(run(joined(sharded(one), bfloat16), {.launcher = emulated}).code == 0);
  const Outcome outcome = run(joined(sharded(two), bfloat16), {.launcher = joined(emulated, mpirun(2))});
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.code == 0);
  check_same_results(two, one);
}

TEST_CASE("evaluate and translate on several processes print what one prints", "[program][mpi]") {
  if (!has_mpi()) return;
  const Words evaluate = evaluate_command(small_model());
  const Outcome alone = run(evaluate), both = run(evaluate, {.launcher = mpirun(2)});
  CAPTURE(alone.err, both.err);
  CHECK(alone.code == 0);
  CHECK(both.out == alone.out);
  const Words translate = {"translate", small_model(), "--n-best", "2", "--scores"};
  std::string text;
  for (int i = 0; i < 50; ++i) text += content(small_corpus().source) + "\nfive\n";
  const Outcome one = run(translate, {.input = text});
  const Outcome three = run(translate, {.input = text, .launcher = mpirun(3)});
  CHECK(one.code == 0);
  CHECK(three.out == one.out);
}

TEST_CASE("processes that cannot work together say why, in one sentence", "[program][mpi]") {
  if (!has_mpi()) return;
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  CHECK_CONTAINS(sentence(run(train_command(model), {.launcher = mpirun(2)})),
                 "there are 2 processes, but training.shards is 1");
  CHECK_CONTAINS(sentence(run({"train", "missing.json", "--out", model}, {.launcher = mpirun(2)})),
                 "missing.json");
  const std::string other = directory.file("other", content(small_corpus().source) + "one\n");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"export REGARD_SIMD=baseline", "has another instruction set than rank 0"},
      {"set -- \"$@\" --set data.source=" + other, "has another data.source than rank 0"},
      {"set -- \"$@\" --overwrite", "has another --overwrite than rank 0"},
      {"set -- \"$1\" translate " + small_model(), ": translate instead of train; nothing was changed"}};
  for (const auto& [change, expected] : cases)
    CHECK_CONTAINS(sentence(run(sharded(model), second_does(change))), expected);
  CHECK_THAT(
      sentence(run({"translate", small_model()}, second_does("set -- \"$@\" --beam 3"))),
      ContainsSubstring("has another --beam than rank 0") && ContainsSubstring(": 3 instead of not given;"));
  // A failure of one process ends all. The corpus is missing for the second one.
  const std::string here = directory / "here";
  std::filesystem::create_directory(here);
  std::filesystem::copy(small_corpus().source, here + "/source");
  std::filesystem::copy(small_corpus().target, here + "/target");
  CHECK_CONTAINS(sentence(run(sharded(model, {"data.source=source", "data.target=target"}),
                              second_does("cd /", {"--wdir", here}))),
                 "has failed, so all processes end: ");
  CHECK_FALSE(std::filesystem::exists(model));
}

TEST_CASE("a signal to mpirun stops all processes after a step", "[program][mpi]") {
  if (!has_mpi()) return;
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  Running running(sharded(model, {"training.steps=100000"}), mpirun(2));
  wait_until(running, [&] { return newest_step(model) >= 3; });
  running.send(SIGUSR1);
  const Outcome outcome = running.wait();
  CHECK(outcome.code == 128 + SIGUSR1);
  CHECK_CONTAINS(outcome.out, "Stopped after step " + std::to_string(newest_step(model)));
}

TEST_CASE("if a process is killed, all end, and the same command goes on", "[program][mpi][kills]") {
  if (!has_mpi()) return;
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  regard::Random random(11);
  int kills = 0;
  while (kills < 3) {
    const Index before = newest_step(model);
    Running running(sharded(model), mpirun(2));
    wait_until(running, [&] { return newest_step(model) > before; });
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(20000)));
    const std::vector<int> ranks = ranks_of(running.process());
    if (ranks.size() == 2) ::kill(ranks[random.below(2)], SIGKILL);
    const Outcome outcome = running.wait();
    if (outcome.code == 0) break;
    CHECK_CONTAINS(outcome.err + outcome.out, "process rank");
    ++kills;
  }
  CHECK(kills >= 1);
  CHECK(run(sharded(model), {.launcher = mpirun(2)}).code == 0);
  check_same_results(model, model_of_one());
}
