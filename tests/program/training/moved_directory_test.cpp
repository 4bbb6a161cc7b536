// A training whose directory is moved away never writes into the directory that takes its place.
#include <csignal>

#include "tests/catch.h"
#include "tests/program/support/eventful.h"

using namespace regard::tests;

TEST_CASE("two trainings in turn at one path do not mix their files", "[program]") {
  const TemporaryDirectory directory;
  const std::vector<std::string> one{"training.steps=30"}, other{"training.seed=2", "training.steps=9"};
  REQUIRE(run(eventful(directory / "one", one)).code == 0);
  REQUIRE(run(eventful(directory / "other", other)).code == 0);
  const std::string model = directory / "model", moved = directory / "moved";
  for (const bool removed : {false, true}) {
    CAPTURE(removed);
    Running first(eventful(model, one));
    wait_until(first, [&] { return newest_step(model) >= 5; });
    wait_until(first, [&] { return in_the_middle_of_a_save(model); });
    // The first training stands still while the second begins and ends.
    first.send(SIGSTOP);
    if (removed)
      std::filesystem::remove_all(model);
    else
      std::filesystem::rename(model, moved);
    CHECK(run(eventful(model, other)).code == 0);
    const auto second = files_below(model);
    first.send(SIGCONT);
    const Outcome outcome = first.wait();
    CHECK_REFUSED(outcome, model + " was moved, removed or replaced while a training ran in it");
    CHECK_THAT(outcome.err, ContainsSubstring("the same command with the new path as --out resumes"));
    CHECK(files_below(model) == second);
    check_same_results(model, directory / "other");
    std::filesystem::remove_all(model);
  }
  const Outcome resumed = run(eventful(moved, one));
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.out, ContainsSubstring("Resuming at step "));
  check_same_results(moved, directory / "one");
}

TEST_CASE("a copy of a training that shares its files by hard links does not change them", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model", copy = directory / "copy";
  const std::vector<std::string> longer{"training.steps=15"};
  REQUIRE(run(eventful(model, {"training.steps=8"})).code == 0);
  std::filesystem::copy(model, directory / "alone", std::filesystem::copy_options::recursive);
  REQUIRE(run(eventful(directory / "alone", longer)).code == 0);
  for (const auto& [name, bytes] : files_below(model)) {
    const std::filesystem::path linked = std::filesystem::path(copy) / name;
    std::filesystem::create_directories(linked.parent_path());
    if (std::filesystem::is_directory(model + "/" + name))
      std::filesystem::create_directory(linked);
    else
      std::filesystem::create_hard_link(model + "/" + name, linked);
  }
  const auto before = files_below(model);
  CHECK(run(eventful(copy, longer)).code == 0);
  CHECK(files_below(model) == before);
  CHECK(run(eventful(model, longer)).code == 0);
  check_same_results(model, directory / "alone");
  check_same_results(copy, directory / "alone");
}
