#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/catch.h"
#include "tests/program/support/run.h"

using namespace regard::tests;

TEST_CASE("all experiments run with --quick and say that their figures mean nothing", "[program][long]") {
  const TemporaryDirectory directory;
  const Outcome outcome = run_well({"experiment", "all", "--quick", "--out", directory / "out"});
  const Outcome list = run_well({"experiment", "--list"});
  std::size_t experiments = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "out")) {
    const std::string id = entry.path().filename();
    CAPTURE(id);
    ++experiments;
    CHECK_CONTAINS(list.out, "\n  " + id + " ");
    const auto results = nlohmann::json::parse(content(entry.path() / "results.json"));
    CHECK(results["experiment"] == id);
    CHECK(results["quick"] == true);
    CHECK_CONTAINS(content(entry.path() / "figures.svg"), "<svg");
    CHECK_CONTAINS(content(entry.path() / "table.md"), "|---|");
  }
  CHECK(experiments >= 30);
  std::size_t warnings = 0;
  for (const std::string& line : lines(outcome.out))
    warnings += line.starts_with("These figures mean nothing");
  CHECK(warnings == experiments);
}

TEST_CASE("an experiment that was stopped goes on with the jobs that are left", "[program]") {
  const TemporaryDirectory directory;
  const Words command{"experiment", "D1", "--out", directory / "out", "--processes", "1"};
  const auto one_is_done = [&] {
    std::error_code none;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory / "out", none))
      if (entry.path().filename() == "measurements.json") return true;
    return false;
  };
  Running running(command);
  wait_until(running, one_is_done);
  running.send(SIGINT);
  const Outcome stopped = running.wait();
  if (stopped.code != 0) {  // it may have been faster than the signal
    CHECK(stopped.code == 128 + SIGINT);
    CHECK_CONTAINS(stopped.err, "the same command goes on");
  }
  const Outcome rest = run_well(command);
  CHECK(rest.out.find("11 jobs left") == std::string::npos);  // at least one of twelve was kept
  const Outcome whole = run_well({"experiment", "D1", "--out", directory / "whole", "--processes", "2"});
  const auto variants = [&](const std::string& out) {
    return nlohmann::json::parse(content(directory / out + "/D1/results.json"))["variants"];
  };
  CHECK(variants("out") == variants("whole"));  // with the same bits, alone and side by side
  CHECK_CONTAINS(whole.out, "11 jobs left");
  CHECK_CONTAINS(whole.out, "D1: holds.");
}

TEST_CASE("the book has what its results say", "[program]") {
  const TemporaryDirectory directory;
  const std::string book = std::string(REGARD_SOURCE) + "/apps/experiments";
  std::filesystem::copy(book, directory / "book", std::filesystem::copy_options::recursive);
  run_well({"experiment", "--book", directory / "book/README.md"});
  CHECK(content(directory / "book/README.md") == content(book + "/README.md"));
  for (const auto& entry : std::filesystem::directory_iterator(book + "/results"))
    CHECK(content(directory / "book/results/" + entry.path().filename().string() + "/figures.svg") ==
          content(entry.path() / "figures.svg"));
  // A number that is not in the results goes away.
  std::string text = content(book + "/README.md");
  const std::size_t row = text.find("| no positions |");
  REQUIRE(row != std::string::npos);
  directory.file("book/README.md", text.insert(row, "| wrong | 1 |\n"));
  run_well({"experiment", "--book", directory / "book/README.md"});
  CHECK(content(directory / "book/README.md") == content(book + "/README.md"));
}

namespace {

const char* const own_file = R"json({
    "id": "mine", "claim": "Two heads are better than one.", "source": "a saying", "method": "Copying.",
    "task": {"toy": "copy", "letters": [1, 4], "train": 100, "test": 10},
    "settings": ["training.steps=3"],
    "variants": {"one": ["model.heads=1"], "two": ["model.heads=2"]},
    "measure": ["exact", {"right_by_length": {"lengths": [2], "pairs": 2}}],
    "needs": ["exact(two) >= 0"],
    "parts": [{"says": "Two are better.", "if": "exact(two) - exact(one) >= 1"}],
    "columns": [{"title": "exact match, %", "measurement": "exact"}],
    "figures": [{"measurement": "exact", "y": "exact match, %"}]
  })json";

std::string with(std::string text, const std::string& before, const std::string& after) {
  const std::size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  return text.replace(at, before.size(), after);
}

}  // namespace

TEST_CASE("a file of one's own is an experiment", "[program]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("mine.json", own_file);
  const Outcome outcome = run_well({"experiment", file, "--out", directory / "out", "--seeds", "1"});
  CHECK_CONTAINS(outcome.out, "\nmine: cannot be decided here.\n- Needed: exact of `two`, at least 0: 0, yes\n");
  CHECK_CONTAINS(content(directory / "out/mine/figures.svg"), "Two heads are better");
  CHECK_REFUSED(run({"experiment", directory.file("other.json", "{\"id\": 3}")}),
                "other.json: \"id\" must be a text, got 3");
  CHECK_REFUSED(run({"experiment", directory / "none.json"}), "none.json");
  // A measure of another kind of model, task or training.
  const auto measured = [&](const std::string& measure) {
    const std::string text = with(own_file, R"({"right_by_length": {"lengths": [2], "pairs": 2}})", measure);
    return run({"experiment", directory.file("measured.json", text), "--quick", "--out",
                directory / std::to_string(directory.entries())});
  };
  CHECK_REFUSED(measured("\"hard_gradient\""),
                "the measure hard_gradient does not fit this model, task or variant");
  CHECK_REFUSED(measured(R"({"exact_by_words": {"most": 2}})"),
                "the measure exact_by_words and one before it both have \"exact\"");
  CHECK_REFUSED(measured("\"average_checkpoints\""),
                "the training keeps no checkpoints; set checkpoints.keep_last");
  CHECK_REFUSED(measured("\"right_by_place\""), "this measure needs sources of one length");
  CHECK_CONTAINS(run_well({"experiment", "--measures"}).out, "  right_by_length ");
}

TEST_CASE("an experiment takes its finished jobs, and none of another one", "[program]") {
  const TemporaryDirectory directory;
  const auto quick = [&](const std::string& text) {
    return run({"experiment", directory.file("mine.json", text), "--quick", "--out", directory / "out"});
  };
  const Outcome first = quick(own_file), again = quick(own_file);
  CHECK(first.code == 0);
  CHECK_CONTAINS(first.out, "1 job left");
  CHECK(again.code == 0);
  CHECK(again.out.find("jobs left") == std::string::npos);  // the same jobs are taken
  CHECK_REFUSED(quick(with(own_file, "\"copy\"", "\"reverse\"")),
                "/task/toy was \"copy\" and is now \"reverse\"");
}

TEST_CASE("the jobs of an experiment end if it is killed", "[program]") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("mine.json", with(own_file, "steps=3", "steps=1000000"));
  Running running({"experiment", file, "--out", directory / "out", "--processes", "1"});
  const auto children = [&] {
    const std::string process = std::to_string(running.process());
    return content("/proc/" + process + "/task/" + process + "/children");
  };
  std::string job;
  wait_until(running, [&] { return !(job = children()).empty(); });
  REQUIRE(!job.empty());
  const std::string status = "/proc/" + std::to_string(std::stoi(job)) + "/status";
  const auto lives = [&] {
    const std::string text = content(status);  // a zombie waits for the process that adopted it
    return !text.empty() && text.find("State:\tZ") == std::string::npos;
  };
  const auto in_its_work = [&] {
    std::error_code none;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory / "out", none))
      if (entry.path().filename() == "messages.txt") return true;
    return false;
  };
  wait_until(running, in_its_work);
  CHECK(lives());
  running.send(SIGKILL);
  running.wait();
  bool lived = true;
  for (int i = 0; i < 1000 && (lived = lives()); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(lived);
  if (lived) ::kill(std::stoi(job), SIGKILL);
}

TEST_CASE("experiment refuses what it cannot do", "[program]") {
  const TemporaryDirectory directory;
  CHECK_REFUSED(run({"experiment"}), "name an experiment");
  CHECK_REFUSED(run({"experiment", "Z9"}), "there is no experiment Z9; choose one of A1");
  CHECK_REFUSED(run({"experiment", "D5", "--corpus", directory / "none"}),
                "experiment D5 has a task of its own and takes no --corpus and no --set");
  CHECK_REFUSED(run({"experiment", "A4", "--seeds", "-1"}), "--seeds");
  CHECK_REFUSED(
      run({"experiment", "A4", "--quick", "--out", directory / "out", "--corpus", directory / "none"}),
      "experiment A4, in order, seed 1: ");
  CHECK_REFUSED(run({"experiment", "--book", directory.file("book.md", "nothing\n")}), "<!-- verdicts -->");
}
