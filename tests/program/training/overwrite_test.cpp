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
