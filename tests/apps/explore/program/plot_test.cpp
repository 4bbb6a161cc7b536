// regard plot: the curves of trainings, and quality over length.
#include <filesystem>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

TEST_CASE("plot draws the curves of a training", "[program]") {
  const TemporaryDirectory directory;
  const Outcome outcome = run_well({"plot", small_model(), "--output", directory / "curves.svg"});
  CHECK(outcome.out == "1 training written to " + directory / "curves.svg" + "\n");
  const std::string svg = content(directory / "curves.svg");
  CHECK(svg.starts_with("<svg "));
  CHECK_CONTAINS(svg, ">model</text>");
  CHECK(svg.find("no numbers") == std::string::npos);
  CHECK(run({"plot", small_model(), small_model(), "--output", "/dev/stdout"}).out.ends_with("</svg>\n"));
}

TEST_CASE("plot draws the quality of several models over the length of the reference", "[program]") {
  const TemporaryDirectory directory;
  const std::string one = directory / "one.json", other = directory / "other.json";
  const Words evaluate = evaluate_command(small_model(), {"--beam", "1", "--length-bounds", "2,3"});
  run_well(joined(evaluate, {"--scores-json", one}));
  std::filesystem::copy(one, other);
  const Outcome outcome = run_well({"plot", "--lengths", one, other, "--output", directory / "lengths.svg"});
  CHECK(outcome.out == "2 models written to " + directory / "lengths.svg" + "\n");
  const std::string svg = content(directory / "lengths.svg");
  for (const std::string text : {"one", "other", "BLEU", "exact match in %", "&lt;2", "2", ">=3"})
    CHECK_CONTAINS(svg, ">" + text + "</text>");
  const auto plot = [&](const Words& files) {
    return run(joined(joined({"plot", "--lengths"}, files), {"--output", directory / "new.svg"}));
  };
  run_well(evaluate_command(small_model(), {"--beam", "1", "--scores-json", other}));
  CHECK_REFUSED(plot({one, other}), other + " has the length bounds 10,20,30,40,50, but " + one +
                                        " has 2,3; evaluate both with the same --length-bounds");
  CHECK_REFUSED(plot({small_model() + "/config.json"}),
                "config.json: these are no scores by length; give files");
  CHECK_REFUSED(plot({directory / "none.json"}), "none.json");
  directory.file("large.json", R"({"format": 1, "length_bounds": [1e300], "lengths": []})");
  CHECK_REFUSED(plot({directory / "large.json"}),
                "\"length_bounds\" must be whole numbers from 1 to 1000000000");
  CHECK_REFUSED(run({"plot", small_model(), "--lengths", one, "--output", directory / "new.svg"}),
                "excludes");
  CHECK_REFUSED(run({"plot", "--output", directory / "new.svg"}),
                "give the directories of trainings, or --lengths");
  CHECK_REFUSED(run({"plot", "--lengths", one, "--output", directory / "c.png"}), "ends in .svg");
  CHECK_REFUSED(run({"plot", "--lengths", one, "--output", one}), "this file is an input");
  CHECK_FALSE(std::filesystem::exists(directory / "new.svg"));
}

TEST_CASE("plot refuses a log that is missing, empty or broken, and writes nothing", "[program]") {
  const TemporaryDirectory directory;
  const std::string output = directory / "curves.svg";
  const auto plot = [&](const std::string& run_directory) {
    return run({"plot", small_model(), run_directory, "--output", output});
  };
  CHECK_REFUSED(plot(directory / "none"), "none: there is no such directory");
  CHECK_REFUSED(plot(directory / ""),
                "metrics.jsonl is missing; give a directory that regard train has written");
  directory.file("metrics.jsonl", "{\"step\":1,\"loss\":2}\nno JSON\n");
  CHECK_REFUSED(plot(directory / ""), "metrics.jsonl: line 2 is no JSON object");
  CHECK(directory.entries() == 1);
  CHECK_REFUSED(run({"plot", small_model()}), "--output is required");
  for (const std::string name : {"c.png", "c", "c.svg.gz", "svg"})
    CHECK_REFUSED(run({"plot", small_model(), "--output", directory / name}),
                  "--output " + directory / name + ": regard plot writes SVG; give a name that ends in .svg");
  CHECK(directory.entries() == 1);
  CHECK_REFUSED(run({"plot", directory / "", "--output", directory / "metrics.jsonl"}),
                "this file is an input and would be replaced");
}
