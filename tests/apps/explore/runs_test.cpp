#include "apps/explore/runs.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::explore;
using regard::tests::TemporaryDirectory;

namespace {

constexpr const char* log_text =
    R"({"step":100,"epoch":1,"loss":6.25,"learning_rate":0.001,"gradient_norm":1.5,"tokens_per_second":38518.5,"seconds":4.75}
{"step":150,"epoch":1,"validation_loss":4.5,"validation_perplexity":90.0,"bleu":0.5,"exact_match":0.25,"best":true,"seconds":9.5}
{"step":200,"epoch":2,"loss":null,"learning_rate":0.002,"gradient_norm":null,"tokens_per_second":40000,"seconds":12}
{"step":200,"epoch":2,"validation_loss":3.5,"bleu":2,"exact_match":0.5,"best":true,"averaged":3,"seconds":13}
)";

}  // namespace

TEST_CASE("a log has updates and validations, each with its step", "[explore]") {
  const TemporaryDirectory directory;
  directory.file("metrics.jsonl", log_text);
  const TrainingRun run = read_run(directory / "");
  CHECK(run.name == std::filesystem::path(directory / "x").parent_path().filename().string());
  CHECK(run.points.at("step") == std::vector<double>{100, 200});
  CHECK(run.points.at("tokens_per_second") == std::vector<double>{38518.5, 40000});
  CHECK(run.points.at("learning_rate") == std::vector<double>{0.001, 0.002});
  CHECK(run.points.at("seconds") == std::vector<double>{4.75, 12});
  CHECK(run.points.at("loss")[0] == 6.25);
  CHECK(std::isnan(run.points.at("loss")[1]));
  CHECK(std::isnan(run.points.at("gradient_norm")[1]));
  CHECK(run.validations.at("step") == std::vector<double>{150, 200});
  CHECK(run.validations.at("loss") == std::vector<double>{4.5, 3.5});
  CHECK(run.validations.at("bleu") == std::vector<double>{0.5, 2});
  CHECK(run.validations.at("exact_match") == std::vector<double>{0.25, 0.5});
  CHECK(run.validations.at("averaged") == std::vector<double>{0, 3});
}

TEST_CASE("the JSON of runs has a list per column, and null for a number that is missing", "[explore]") {
  const TemporaryDirectory directory;
  directory.file("metrics.jsonl", log_text);
  const std::vector<std::string> directories{directory / ""};
  const Json json = Json::parse(runs_json(read_runs(directories)).dump());
  REQUIRE(json.size() == 1);
  CHECK(json[0].at("name") == read_run(directory / "").name);
  CHECK(json[0].at("directory") == directory / "");
  CHECK(json[0].at("points").dump() ==
        R"({"gradient_norm":[1.5,null],"learning_rate":[0.001,0.002],"loss":[6.25,null],)"
        R"("seconds":[4.75,12.0],"step":[100.0,200.0],"tokens_per_second":[38518.5,40000.0]})");
  CHECK(json[0].at("validations").at("averaged").dump() == "[0.0,3.0]");
}

TEST_CASE("a line that is still being written is ignored", "[explore]") {
  const TemporaryDirectory directory;
  for (const std::string unfinished : {"{\"step\":300,\"lo", "{\"step\":300,\"loss\":1}"}) {
    CAPTURE(unfinished);
    directory.file("metrics.jsonl", log_text + unfinished);
    CHECK(read_run(directory / "").points.at("step") == std::vector<double>{100, 200});
  }
  directory.file("metrics.jsonl", std::string(log_text) + "{\"step\":300,\"loss\":1}\n");
  CHECK(read_run(directory / "").points.at("step") == std::vector<double>{100, 200, 300});
}

TEST_CASE("a directory without a log is an empty run", "[explore]") {
  const TemporaryDirectory directory;
  CHECK(read_run(directory / "").points.at("step").empty());
  directory.file("metrics.jsonl", "");
  CHECK(read_run(directory / "").validations.at("step").empty());
  CHECK_ERROR(read_run(directory / "none"), "none: there is no such directory");
}

TEST_CASE("a broken line of a log is refused with file and line", "[explore]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "metrics.jsonl", good = "{\"step\":1,\"loss\":2}\n";
  for (const auto& [line, complaint] : std::vector<std::pair<std::string, std::string>>{
           {"{\"step\":2,", "line 2 is no JSON object, so regard train did not write it: {\"step\":2,"},
           {"", "line 2 is no JSON object"},
           {"[1]", "line 2 is no JSON object"},
           {"{\"step\":1e999}", "line 2 is no JSON object"},
           {"{\"loss\":1}", "line 2 has no \"step\""},
           {"{\"step\":null}", "line 2 has no \"step\""},
           {"{\"step\":\"2\"}", "line 2: \"step\" must be a number, got \"2\""},
           {"{\"step\":2,\"validation_loss\":3,\"bleu\":[]}",
            "line 2: \"bleu\" must be a number, got a list"},
           {"\xFF\x1B", "line 2 is no JSON object, so regard train did not write it: \\xFF\\x1B"}}) {
    CAPTURE(line);
    directory.file("metrics.jsonl", good + line + "\n" + good);
    CHECK_ERROR(read_run(directory / "."), directory / "." + "/metrics.jsonl: " + complaint);
  }
}

TEST_CASE("runs of one name are told apart by their directories", "[explore]") {
  const TemporaryDirectory directory;
  std::vector<std::string> directories;
  for (const char* name : {"a/model", "b/model", "b/other/", "bad\xFF"}) {
    std::filesystem::create_directories(directory / name);
    directories.push_back(directory / name);
  }
  const std::vector<TrainingRun> runs = read_runs(directories);
  REQUIRE(runs.size() == 4);
  CHECK(runs[0].name == directory / "a/model");
  CHECK(runs[1].name == directory / "b/model");
  CHECK(runs[2].name == "other");
  CHECK(runs[3].name == "bad\\xFF");
  CHECK_NOTHROW(runs_json(runs).dump());
}
