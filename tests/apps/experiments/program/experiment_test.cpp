#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/catch.h"
#include "tests/program/support/run.h"

using namespace regard::tests;

TEST_CASE("experiments run with --quick and say that their figures mean nothing", "[program]") {
  const TemporaryDirectory directory;
  const Words ids{"A1", "D1", "H4"};  // models of text, without a training, models of images
  const Outcome outcome =
      run_well(joined(joined({"experiment"}, ids), {"--quick", "--out", directory / "out"}));
  const Outcome list = run_well({"experiment", "--list"});
  for (const std::string& id : ids) {
    CAPTURE(id);
    CHECK_CONTAINS(list.out, "\n  " + id + " ");
    CHECK_CONTAINS(content(directory / "out/" + id + "/figures.svg"), "<svg");
    CHECK_CONTAINS(content(directory / "out/" + id + "/table.md"), "|---|");
  }
  CHECK(lines(list.out).size() > 60);  // chapters and experiments
  std::size_t warnings = 0;
  for (const std::string& line : lines(outcome.out))
    warnings += line.starts_with("These figures mean nothing");
  CHECK(warnings == ids.size());
}

/// The lines of finished jobs without their times.
std::set<std::string> finished_jobs(const std::string& path) {
  std::set<std::string> jobs;
  for (const std::string& line : lines(content(path))) {
    auto json = nlohmann::json::parse(line);
    json.erase("minutes");
    jobs.insert(json.dump());
  }
  return jobs;
}

/// The number of jobs that ran.
std::size_t jobs_run(const Outcome& outcome) {
  std::size_t run = 0;
  for (const std::string& line : lines(outcome.out)) run += line.find(" left, about ") != std::string::npos;
  return run;
}

TEST_CASE("an experiment that was stopped goes on with the jobs that are left", "[program]") {
  const TemporaryDirectory directory;
  const Words command{"experiment", "D1", "--out", directory / "out", "--processes", "1"};
  const std::string file = directory / "out/D1.jsonl";
  Running running(command);
  wait_until(running, [&] { return std::filesystem::exists(file); });
  running.send(SIGINT);
  const Outcome stopped = running.wait();
  if (stopped.code != 0) {  // it may have been faster than the signal
    CHECK(stopped.code == 128 + SIGINT);
    CHECK_CONTAINS(stopped.err, "the same command goes on");
  }
  const Outcome rest = run_well(command);
  CHECK(jobs_run(rest) < 24);  // at least one of them was kept
  const Outcome whole = run_well({"experiment", "D1", "--out", directory / "whole", "--processes", "2"});
  CHECK(jobs_run(whole) == 24);  // two variants share theirs
  CHECK(finished_jobs(file).size() == 32);
  CHECK(finished_jobs(file) == finished_jobs(directory / "whole/D1.jsonl"));  // the same bits
  CHECK_CONTAINS(whole.out, "D1: holds.");
  // Further seeds are added.
  CHECK(jobs_run(run_well(
            {"experiment", "D1", "--out", directory / "out", "--first-seed", "101", "--seeds", "2"})) == 6);
  CHECK(finished_jobs(file).size() == 40);
  CHECK(jobs_run(run_well(command)) == 0);
  CHECK(finished_jobs(file).size() == 40);
}

TEST_CASE("the book has what its results say", "[program]") {
  const TemporaryDirectory directory;
  run_well({"experiment", "D5", "--out", directory / "results"});
  const std::string book = directory.file(
      "README.md",
      "Before.\n<!-- verdicts -->\n<!-- end verdicts -->\n<!-- before -->\n<!-- end before -->\n"
      "<!-- claims -->\n<!-- end claims -->\n");
  run_well({"experiment", "--book", book});
  const std::string text = content(book);
  CHECK_CONTAINS(text, "Before.\n");
  CHECK_CONTAINS(text, "| [D5](#d5) |");
  CHECK_CONTAINS(text, "**Verdict: holds.**");
  CHECK_CONTAINS(text, "| not run yet | | |  |");  // the other claims
  CHECK_CONTAINS(text, "### A1\n\n> ");
  CHECK_CONTAINS(content(directory / "results/D5/figures.svg"), "<svg");
  // A number that is not in the results goes away.
  std::string wrong = text;
  directory.file("README.md", wrong.insert(text.find("<!-- end claims"), "| wrong | 1 |\n"));
  run_well({"experiment", "--book", book});
  CHECK(content(book) == text);
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
  CHECK_CONTAINS(outcome.out, "\nmine: cannot be decided here.\n- Needed: `exact(two) >= 0`: 0, yes\n");
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
                "the measures exact and exact_by_words both have \"exact\"");
  CHECK_REFUSED(run({"experiment",
                     directory.file("average.json",
                                    with(with(own_file, "steps=3", "steps=3\", \"training.warmup_steps=2"),
                                         "\"test\": 10", "\"test\": 10, \"average\": 2")),
                     "--out", directory / "average", "--seeds", "1"}),
                "\"average\" is 2, but the training keeps 0 checkpoints; set checkpoints.keep_last");
  // Before anything trains.
  CHECK_REFUSED(
      run({"experiment", directory.file("names.json", with(own_file, "exact(one)", "exakt(one)")), "--out",
           directory / "names"}),
      "\"exakt\" of \"one\" is not measured; its measures have validation_loss, parameters, exact, right");
  CHECK_FALSE(std::filesystem::exists(directory / "names"));
  CHECK_REFUSED(measured("\"right_by_place\""), "this measure needs sources of one length");
  CHECK_CONTAINS(run_well({"experiment", "--measures"}).out, "  right_by_length ");
}

TEST_CASE("an experiment takes its finished jobs, those of others, and none that differ", "[program][long]") {
  const TemporaryDirectory directory;
  const auto experiment = [&](const std::string& text, const Words& options = {}) {
    Words command{"experiment", directory.file("mine.json", text), "--out", directory / "out", "--seeds",
                  "2"};
    command.insert(command.end(), options.begin(), options.end());
    return run(command);
  };
  CHECK(jobs_run(experiment(own_file)) == 4);
  CHECK(jobs_run(experiment(own_file)) == 0);
  CHECK(experiment(own_file).code == 0);
  CHECK(finished_jobs(directory / "out/mine.jsonl").size() == 4);
  // Another experiment with an equal variant. Together they would train it once, too.
  const std::string other = with(with(own_file, "\"mine\"", "\"other\""), "model.heads=2", "model.heads=4");
  CHECK(jobs_run(experiment(other)) == 2);
  const Outcome both =
      run_well({"experiment", directory.file("a.json", own_file), directory.file("b.json", other), "--out",
                directory / "both", "--seeds", "2"});
  CHECK(jobs_run(both) == 6);
  CHECK_CONTAINS(both.out, "mine, other  one, seed 1: ");
  CHECK(finished_jobs(directory / "both/other.jsonl") == finished_jobs(directory / "out/other.jsonl"));
  // Another task, another setting: other jobs, which replace the old ones.
  CHECK(jobs_run(experiment(with(own_file, "\"copy\"", "\"reverse\""))) == 4);
  CHECK(finished_jobs(directory / "out/mine.jsonl").size() == 4);
  // Both variants are those of the other experiment now.
  CHECK(jobs_run(experiment(with(own_file, "heads=2", "heads=4"))) == 0);
  CHECK(jobs_run(experiment(own_file)) == 2);
  // A further measure: all again without the models, and only itself with them.
  const std::string more = with(own_file, "[\"exact\", {", "[\"exact\", \"bleu\", {");
  CHECK(jobs_run(experiment(more, {"--keep-models"})) == 4);
  CHECK(std::filesystem::exists(directory / "out/models"));
  const std::string most = with(more, "\"bleu\", {", "\"bleu\", \"perplexity\", {");
  CHECK(jobs_run(experiment(most)) == 4);
  for (const auto& entry : std::filesystem::directory_iterator(directory / "out/models")) {
    CHECK(std::filesystem::exists(entry.path() / "model/weights.safetensors"));
  }
  run_well({"experiment", directory.file("mine.json", most), "--out", directory / "again", "--seeds", "2"});
  CHECK(finished_jobs(directory / "out/mine.jsonl") == finished_jobs(directory / "again/mine.jsonl"));
  CHECK_FALSE(std::filesystem::exists(directory / "again/models"));
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
  CHECK_REFUSED(run({"experiment", "A1-text", "--quick"}),
                "experiment A1-text is about real text; give the directory");
  CHECK_REFUSED(run({"experiment", "A4", "--seeds", "-1"}), "--seeds");
  CHECK_REFUSED(run({"experiment", "D5", "--first-seed", "90", "--seeds", "3", "--out", directory / "seeds"}),
                "seed 91 belongs to the tuning; begin at 1, 101, 201 and so on");
  CHECK_REFUSED(run({"experiment", "D5", "D5", "--out", directory / "twice"}),
                "two experiments have the id D5");
  CHECK_REFUSED(run({"experiment", "A4", "--quick", "--out", directory / "out", "--processes", "1",
                     "--corpus", directory / "none"}),
                "experiment A4, in order, seed 1: ");
  CHECK_REFUSED(run({"experiment", "--book", directory.file("book.md", "nothing\n")}), "<!-- verdicts -->");
}

TEST_CASE("an option without an effect is refused", "[program]") {
  for (const Words& other : std::vector<Words>{{"A1"}, {"--seeds", "3"}, {"--quick"}, {"--measures"}})
    CHECK_REFUSED(run(joined({"experiment", "--list"}, other)), "excludes");
  CHECK_REFUSED(run({"experiment", "--measures", "A1"}), "excludes");
  CHECK_REFUSED(run({"experiment", "--book", "x", "--out", "y"}), "excludes");
  CHECK_REFUSED(run({"experiment", "A1", "--seeds", "0"}), "--seeds 0: give 1 to ");
}
