// What translations keep of their sources, in `regard evaluate`.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/program/support/small_model.h"

using namespace regard::tests;

TEST_CASE("placeholders and numbers are compared with those of the sources", "[program]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("source", "%s of 7\nsee @x@ & {0}\nplain\n"),
                    output = directory.file("output", "%s von 8\nsiehe @y@ {0}\nglatt %s\n"),
                    json = directory / "scores.json";
  const Words command{"evaluate", "--hypothesis", output, "--reference", output, "--source", source};
  const Outcome outcome = run_well(joined(command, {"--scores-json", json}));
  CHECK(has_line(outcome, "placeholders    100.00 % (2 of 2 translations have those of their source)"));
  CHECK(has_line(outcome, "numbers         0.00 % (0 of 1 "));
  CHECK_FALSE(has_line(outcome, "markup"));
  const auto kept = nlohmann::json::parse(content(json)).at("kept");
  CHECK(kept == nlohmann::json{{"placeholders", {{"share", 1.0}, {"sentences", 2}, {"kept", 2}}},
                               {"numbers", {{"share", 0.0}, {"sentences", 1}, {"kept", 0}}}});
  CHECK(
      has_line(run_well(joined(command, {"--placeholders", "@[a-z]@"})), "placeholders    50.00 % (1 of 2 "));
  CHECK_REFUSED(run(joined(command, {"--placeholders", "("})),
                "the pattern \"(\" is not a regular expression");
  CHECK_REFUSED(run({"evaluate", "--hypothesis", output, "--reference", output, "--source",
                     directory.file("short", "a\n")}),
                "both files must have the same number of lines");
  CHECK_FALSE(
      has_line(run_well({"evaluate", "--hypothesis", output, "--reference", output}), "placeholders"));
  CHECK_REFUSED(
      run({"evaluate", "--hypothesis", output, "--reference", output, "--placeholders", "@[a-z]@"}),
      "--placeholders are compared with the sentences that were translated; give them with --source");
}
