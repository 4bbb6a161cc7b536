// A new training removes only files that regard wrote, and none of its own inputs.
#include <fstream>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

TEST_CASE("--overwrite refuses to remove an input of the same command", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  REQUIRE(run(eventful(model, {"training.steps=14"})).code == 0);
  std::filesystem::create_symlink(model + "/weights.safetensors", directory / "link");
  const auto before = files_below(model);
  const auto refused = [&](const std::string& file, const Words& settings) {
    CAPTURE(file);
    CHECK_REFUSED(run(joined(eventful(model, settings), {"--overwrite"})),
                  "a new training would remove " + model + "/" + file +
                      ", which is an input of this training; move it to another place, or give another "
                      "directory");
    CHECK(files_below(model) == before);
  };
  const std::string validation = model + "/validation/7.txt";
  refused("validation/7.txt", {"data.source=" + validation});
  refused("validation/7.txt", {"data.target=" + validation});
  refused("validation/7.txt", {"data.validation_source=" + validation});
  refused("validation/7.txt", {"data.validation_target=" + validation});
  refused("metrics.jsonl", {"data.source=", "data.target=", "data.tsv=" + model + "/metrics.jsonl"});
  refused("weights.safetensors", {"training.initial_weights=" + directory / "link"});
  refused("checkpoints/7.safetensors", {"training.initial_weights=" + model + "/checkpoints/7.safetensors"});
  refused("config.json", {"training.initial_weights=" + model});
  CHECK_REFUSED(run({"train", model + "/config.json", "--out", model, "--overwrite"}),
                "a new training would remove " + model + "/config.json, which is an input");
  CHECK(files_below(model) == before);
  CHECK(run(joined(eventful(model, {"training.steps=7"}), {"--overwrite"})).code ==
        0);  // without such an input
  CHECK(files_below(model + "/validation").size() == 1);
}

TEST_CASE("what a training left that was killed in its last validation goes with the next run", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model", killed = directory / "killed";
  REQUIRE(run(eventful(model, {"training.steps=12"})).code == 0);
  std::filesystem::copy(model + "/state", directory / "state");
  REQUIRE(run(eventful(model, {"training.steps=14"})).code == 0);
  // The translations, the checkpoint and the line of the log are there, but not the state.
  std::filesystem::remove_all(model + "/state");
  std::filesystem::copy(directory / "state", model + "/state");
  REQUIRE(std::filesystem::exists(model + "/validation/14.txt"));
  const auto copy = [&] {
    std::filesystem::remove_all(killed);
    std::filesystem::copy(model, killed, std::filesystem::copy_options::recursive);
  };
  const auto steps = [&](const std::string& folder) {
    Words names;
    for (const auto& entry : files_below(killed + "/" + folder)) names.push_back(entry.first);
    return names;
  };
  copy();  // The limit on time ends it at another step now.
  REQUIRE(run(eventful(killed, {"training.steps=13"})).code == 0);
  CHECK(steps("validation") == Words{"12.txt", "13.txt", "7.txt"});
  CHECK(steps("checkpoints") == Words{"12.safetensors", "13.safetensors", "7.safetensors"});
  REQUIRE(run(joined(eventful(killed, {"training.steps=7"}), {"--overwrite"})).code == 0);
  copy();
  REQUIRE(run(joined(eventful(killed, {"training.steps=7"}), {"--overwrite"})).code == 0);
  CHECK(steps("validation") == Words{"7.txt"});
  copy();  // The control: a file that the log does not name is not the training's.
  std::ofstream(killed + "/validation/20.txt") << "mine";
  REQUIRE(run(eventful(killed, {"training.steps=13"})).code == 0);
  CHECK(content(killed + "/validation/20.txt") == "mine");
  CHECK_REFUSED(run(joined(eventful(killed), {"--overwrite"})), "20.txt, which regard did not write");
}

TEST_CASE("a finished training that was killed before it removed old files removes them", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  const Words command = eventful(model, {"training.steps=28"});  // validates after 7, 14, 21 and 28
  REQUIRE(run(command).code == 0);
  const auto before = files_below(model);
  std::filesystem::copy(model + "/checkpoints/14.safetensors", model + "/checkpoints/7.safetensors");
  std::filesystem::copy(model + "/state/28.safetensors", model + "/state/26.safetensors");
  CHECK_CONTAINS(run_well(command).out, "training.steps");
  CHECK(files_below(model) == before);
}

TEST_CASE("--overwrite refuses to remove files that regard did not write", "[program]") {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  REQUIRE(run(eventful(model, {"training.steps=14"})).code == 0);
  for (const std::string file : {"validation/8.txt", "checkpoints/3.safetensors", "state/3.safetensors"}) {
    CAPTURE(file);
    std::ofstream(model + "/" + file) << "mine";
    const auto before = files_below(model);
    CHECK_REFUSED(run(joined(eventful(model), {"--overwrite"})),
                  "a new training would remove " + model + "/" + file + ", which regard did not write");
    CHECK(files_below(model) == before);
    std::filesystem::remove(model + "/" + file);
  }
  // A corpus in a directory without a training.
  const std::string project = directory / "project", corpus = project + "/validation/7.txt";
  std::filesystem::create_directories(project + "/validation");
  std::ofstream(corpus) << "mine";
  CHECK_REFUSED(run(joined(eventful(project), {"--overwrite"})), corpus + ", which regard did not write");
  CHECK(files_below(project) ==
        std::map<std::string, std::string>{{"validation", ""}, {"validation/7.txt", "mine"}});
  // A program that uses the library may train without a log.
  std::filesystem::resize_file(model + "/metrics.jsonl", 0);
  CHECK(run(joined(eventful(model, {"training.steps=7"}), {"--overwrite"})).code == 0);
  CHECK(files_below(model + "/validation").size() == 1);
}
