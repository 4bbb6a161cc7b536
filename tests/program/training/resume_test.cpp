// A training can be killed or stopped at any moment, and the same command resumes it to the same bits.
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "autograd/machine/error.h"
#include "autograd/machine/random.h"
#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;
using regard::Index;
using regard::to_index;

TEST_CASE("a training killed 24 times ends with the same bits as without a kill", "[program][kills]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  regard::Random random(7);
  int kills = 0, saves_torn = 0;
  while (kills < 24) {
    CAPTURE(kills);
    const Index before = newest_step(model);
    Running running(eventful(model));
    if (kills % 2 == 0) {
      // Kills it after some more steps, at a random moment. The first kill comes before there is a state.
      const auto steps = before + to_index(random.below(4));
      wait_until(running, [&] { return newest_step(model) >= steps; });
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(3000)));
    } else {
      wait_until(running, [&] { return newest_step(model) > before && in_the_middle_of_a_save(model); });
    }
    running.send(SIGKILL);
    if (running.wait().code != 128 + SIGKILL) break;  // it ended before the kill
    saves_torn += in_the_middle_of_a_save(model);
    ++kills;
  }
  CHECK(kills >= 20);
  CHECK(saves_torn > 0);
  const Outcome last = run_well(eventful(model));
  check_same_results(model, undisturbed_model());
}

TEST_CASE("a signal stops a training after the step, and the same command resumes it", "[program][long]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryDirectory directory;
    const std::string model = directory / "model";
    Running running(eventful(model));
    wait_until(running, [&] { return newest_step(model) >= 5; });
    running.send(signal);
    const Outcome stopped = running.wait();
    CHECK(stopped.code == 128 + signal);
    CHECK_CONTAINS(stopped.err, "regard: stopping as soon as this step");
    CHECK_CONTAINS(stopped.out, "Stopped after step " + std::to_string(newest_step(model)) +
                                    "; everything is saved in " + model +
                                    ". To continue, repeat the command.");
    const Outcome rest = run(eventful(model));
    CHECK(rest.code == 0);
    CHECK_CONTAINS(rest.out, "Resuming at step ");
    check_same_results(model, undisturbed_model());
  }
}

TEST_CASE("a training stopped without weights says so, and explains how to get them", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  Running running(train_command(
      model, {"training.steps=100000", "validation.every_steps=100000", "checkpoints.save_every=5"}));
  wait_until(running, [&] { return newest_step(model) >= 5; });
  running.send(SIGTERM);
  const Outcome stopped = running.wait();
  CHECK(stopped.code == 128 + SIGTERM);
  CHECK_CONTAINS(stopped.out, "There are no weights to translate with yet.\n");
  const std::string limit = "training.steps=" + std::to_string(newest_step(model));
  CHECK_REFUSED(run({"translate", model}), "with --set " + limit + " it ends at its present step");
  CHECK(run(train_command(model, {limit, "validation.every_steps=100000"})).code == 0);
  CHECK(run({"translate", model}, {.input = "one\n"}).code == 0);
}

TEST_CASE("if its terminal is closed, a training saves its state and has its own exit code", "[program]") {
  if (!has_terminals()) return;
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  const Outcome stopped =
      run_in_terminal(eventful(model, {"training.steps=100000", "training.log_every=100000"}),
                      {.closed_when = [&] { return newest_step(model) >= 5; }});
  CHECK(stopped.code == 128 + SIGHUP);
  CHECK(newest_step(model) >= 5);
}

TEST_CASE("if the standard descriptors are closed, the logs contain only the log", "[program][long]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  const Outcome outcome = run(eventful(model), {.closed = true});
  CHECK(outcome.code == 1);  // its message could not be written
  check_same_results(model, undisturbed_model());
  for (const std::string& line : lines(content(model + "/metrics.jsonl")))
    CHECK(line.starts_with("{\"step\":"));
}

TEST_CASE("two processes cannot train in one directory", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  Running running(eventful(model, {"training.steps=100000"}));
  wait_until(running, [&] { return newest_step(model) >= 1; });
  CHECK_REFUSED(run(eventful(model)), "another process is training in " + model);
  CHECK_REFUSED(run(joined(eventful(model), {"--overwrite"})), "another process is training in " + model);
  CHECK_FALSE(running.ended());
  running.send(SIGKILL);
  running.wait();
  // The lock ends with its process.
  CHECK(run(eventful(model, {"training.steps=" + std::to_string(newest_step(model) + 1)})).code == 0);
}

TEST_CASE("a damaged newest state is reported, and the training resumes from the one before", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  REQUIRE(run(eventful(model, {"training.steps=9"})).code == 0);
  const std::string newest = model + "/state/9.safetensors";
  std::filesystem::resize_file(newest, std::filesystem::file_size(newest) - 100);
  const Outcome rest = run(eventful(model, {"training.steps=10"}));
  CHECK(rest.code == 0);
  CHECK_THAT(rest.err, ContainsSubstring("regard: warning: " + newest + " cannot be read as safetensors") &&
                           ContainsSubstring("resuming from step 8 instead"));
}

TEST_CASE("a training that resumes with other kernels says that its bits change", "[program]") {
  const Words others = {"env", "REGARD_SIMD=baseline", "OPENBLAS_CORETYPE=Nehalem"};
  const auto kernels = [](const Words& launcher) {
    const Words version = lines(run({"--version"}, {.launcher = launcher}).out);
    return version.size() > 3 ? version[2] + version[3] : "";
  };
  if (kernels({}) == kernels(others)) {
    WARN("not tried: this processor has one kind of kernels");
    return;
  }
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  CHECK(run(eventful(model, {"training.steps=2"})).code == 0);
  const Outcome resumed = run(eventful(model, {"training.steps=3"}), {.launcher = others});
  CHECK(resumed.code == 0);
  CHECK(lines(resumed.err).size() == 1);
  CHECK_THAT(resumed.err,
             ContainsSubstring("warning: " + model + "/state/2.safetensors was computed with ") &&
                 ContainsSubstring("but this run computes with baseline instructions, products in tiles of "
                                   "144 rows, OpenBLAS ") &&
                 ContainsSubstring("it does not end with the same bits"));
  CHECK(run(eventful(model, {"training.steps=4"}), {.launcher = others}).err.empty());
}

TEST_CASE("files of the user in the directory are not changed", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  std::filesystem::create_directories(model + "/validation");
  const Words own = {"page.tmpl",           "notes.tmp",         "a.tmp7",    "notes.txt.tmp1",
                     "my.json.tmp7",        "validation/val.en", "state.txt", "weights.tmp12",
                     "mine.regard-tmp-7-1", "validation/007.txt"};
  for (const std::string& name : own) std::ofstream(model + "/" + name) << name;
  CHECK(run(eventful(model, {"training.steps=3"})).code == 0);
  const Words left = {"config.json.regard-tmp-123-1", "state/9.safetensors.regard-tmp-123-1",
                      "validation/7.txt.regard-tmp-123-2"};
  for (const std::string& name : left) std::ofstream(model + "/" + name) << "by a process that was killed";
  CHECK(run(eventful(model, {"training.steps=5"})).code == 0);  // resumes
  CHECK(run(joined(eventful(model, {"training.steps=2"}), {"--overwrite"})).code == 0);
  for (const std::string& name : own) CHECK(content(model + "/" + name) == name);
  for (const std::string& name : left) CHECK_FALSE(std::filesystem::exists(model + "/" + name));
}

TEST_CASE(
    "a directory is made again if making it was interrupted, but not if a training lost its configuration",
    "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model", moved = directory / "config.json";
  const Words command = eventful(model, {"training.steps=3"});
  CHECK(run(command).code == 0);
  const auto whole = files_below(model);
  std::filesystem::rename(model + "/config.json", moved);
  const auto without = files_below(model);
  const std::string gone = model + " has a training, but its file " + model +
                           "/config.json is missing, so the training cannot be resumed";
  CHECK_REFUSED(run(command), gone);
  std::filesystem::remove(model + "/weights.safetensors");
  CHECK_REFUSED(run(command), gone);
  std::ofstream(model + "/weights.safetensors") << without.at("weights.safetensors");
  CHECK(files_below(model) == without);
  // The configuration is written last and removed first. So a training that was killed before it began has
  // only the state of step 0.
  std::filesystem::remove_all(model + "/checkpoints");
  for (const char* file : {"vocabulary.json", "weights.safetensors", "metrics.jsonl", "state/2.safetensors"})
    std::filesystem::remove(model + "/" + file);
  std::filesystem::rename(model + "/state/3.safetensors", model + "/state/0.safetensors");
  CHECK(run(command).code == 0);
  CHECK(files_below(model).at("weights.safetensors") == whole.at("weights.safetensors"));
  CHECK(files_below(model).at("vocabulary.json") == whole.at("vocabulary.json"));
}

TEST_CASE("files of a model are not replaced, even if other files are missing", "[program]") {
  Words files{"checkpoints/7.safetensors", "validation/1.txt", "vocabulary.json", "metrics.jsonl"};
  if (has_kind("sentencepiece")) files.push_back("subwords.model");
  for (const std::string& file : files) {
    const TemporaryDirectory directory;
    const std::string model = directory / "model", path = model + "/" + file;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << "mine";
    CHECK_REFUSED(run(eventful(model)), model + " has files of a model, but no training that can be resumed");
    CHECK(content(path) == "mine");
  }
}

TEST_CASE("any second signal ends the program at once", "[program][long]") {
  const auto after_two = [](int second, int milliseconds, const std::string& length) {
    const TemporaryDirectory directory;
    const std::string model = directory / "model";
    // Each translation has this many tokens, so the validation after step 1 is long enough for two signals.
    Running running(
        eventful(model, {"validation.every_steps=1", "validation.beam=12", "decoding.min_length=" + length,
                         "decoding.max_length=" + length, "training.log_every=1"}));
    wait_until(running, [&] { return !content(model + "/metrics.jsonl").empty(); });  // in the validation
    running.send(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    running.send(second);
    return running.wait();
  };
  for (const int second : {SIGINT, SIGTERM}) {
    const Outcome outcome = after_two(second, 600, "250");
    CHECK(outcome.code == 128 + second);
    CHECK_THAT(outcome.out, !ContainsSubstring("Stopped after step"));
    CHECK_CONTAINS(outcome.err, "a second signal ends the program at once");
    // Two equal signals at nearly the same time count as one: timeout(1) sends such signals.
    const Outcome stopped = after_two(second, 0, "60");
    CHECK((stopped.code == 128 + SIGINT ||
           stopped.code == 128 + second));  // the system may deliver them in the other order
    CHECK_CONTAINS(stopped.out, "Stopped after step 1;");
  }
}
