#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

TEST_CASE("plot draws the curves of a training", "[program]") {
  const TemporaryDirectory directory;
  const Outcome outcome = run({"plot", small_model(), "--output", directory / "curves.svg"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out == "1 training written to " + directory / "curves.svg" + "\n");
  const std::string svg = content(directory / "curves.svg");
  CHECK(svg.starts_with("<svg "));
  CHECK_THAT(svg, ContainsSubstring(">model</text>"));
  CHECK(svg.find("no numbers") == std::string::npos);
  CHECK(run({"plot", small_model(), small_model(), "--output", "/dev/stdout"}).out.ends_with("</svg>\n"));
}

TEST_CASE("plot refuses a log that is missing, empty or broken, and writes nothing", "[program]") {
  const TemporaryDirectory directory;
  const std::string output = directory / "curves.svg";
  const auto plot = [&](const std::string& run_directory) {
    return run({"plot", small_model(), run_directory, "--output", output});
  };
  CHECK_REFUSED(plot(directory / "none"), "none: there is no such directory");
  CHECK_REFUSED(plot(directory / ""), "metrics.jsonl: there is no complete line in this log; regard train");
  directory.file("metrics.jsonl", "{\"step\":1,\"loss\":2}\nno JSON\n");
  CHECK_REFUSED(plot(directory / ""), "metrics.jsonl: line 2 is no JSON object");
  CHECK(directory.entries() == 1);
  CHECK_REFUSED(run({"plot", small_model()}), "--output is required");
  CHECK_REFUSED(run({"plot", directory / "", "--output", directory / "metrics.jsonl"}),
                "this file is an input and would be replaced");
}
