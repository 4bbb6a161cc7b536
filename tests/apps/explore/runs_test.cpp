// The logs of trainings, and the curves that are drawn of them.
#include "apps/explore/runs.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/explore/curves.h"
#include "apps/plots/plots.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::explore;
using namespace regard::pictures;
using regard::tests::contains;
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
           {"{\"step\":1e200}",
            "line 2: \"step\" must be a whole number from 0 to 1000000000000000, got 1e+200"},
           {"{\"step\":-1}", "line 2: \"step\" must be a whole number from 0"},
           {"{\"step\":1.5}", "line 2: \"step\" must be a whole number from 0"},
           {"{\"step\":2,\"validation_loss\":3,\"bleu\":[]}", "line 2: \"bleu\" must be a number, got []"},
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

namespace {

/// A run of three updates and two validations, the second of which is a mean of checkpoints.
TrainingRun run_called(const std::string& name) {
  return {.name = name,
          .directory = name,
          .points = {{"step", {0, 50, 100}},
                     {"loss", {4, 3, 0}},
                     {"learning_rate", {0.5, 0.5, 0.5}},
                     {"gradient_norm", {1, std::nan(""), 2}},
                     {"tokens_per_second", {20000, 30000, 40000}}},
          .validations = {{"step", {50, 100}}, {"loss", {4, 2}}, {"bleu", {0, 100}}, {"averaged", {0, 3}}}};
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("an axis has round ticks around its values", "[explore]") {
  const Scale scale = make_scale({0.13, 0.87}, 4);
  CHECK(scale.least == 0);
  CHECK(scale.most == Approx(1));
  CHECK(scale.ticks().size() == 6);
  CHECK(tick_text(scale.ticks()[3]) == "0.6");
  CHECK(scale.part(0.25) == Approx(0.25));
  // One value alone, no value, and values that are infinite or not there.
  const Scale one = make_scale({7}, 4);
  CHECK(one.least < 7);
  CHECK(one.most > 7);
  CHECK(make_scale({}, 4).ticks().size() == 2);
  CHECK(make_scale({std::nan(""), 1e308 * 10, 3, 5}, 4).most == 5);
}

TEST_CASE("an axis never has more ticks than asked for, whatever the values are", "[explore]") {
  std::vector<double> ends{0, 1, 3, 1e-300, 1e-9, 0.1, 999.5, 1234567, 1e80, 1e308};
  for (const double end : std::vector<double>(ends)) ends.push_back(-end);
  for (const double a : ends)
    for (const double b : ends) {
      CAPTURE(a, b);
      const Scale scale = make_scale({a, b}, 4);
      const auto ticks = scale.ticks();
      CHECK(scale.least < scale.most);
      CHECK(ticks.size() >= 2);
      CHECK(ticks.size() <= 7);  // both ends are ticks, so one more at each
      if (std::abs(a) < 1e100) CHECK((scale.part(a) > -1e-6 && scale.part(a) < 1 + 1e-6));
      for (std::size_t i = 1; i < ticks.size(); ++i) CHECK(tick_text(ticks[i - 1]) != tick_text(ticks[i]));
    }
}

TEST_CASE("the number at a tick is short", "[explore]") {
  CHECK(tick_text(0) == "0");
  CHECK(tick_text(2000) == "2000");
  CHECK(tick_text(40000) == "40k");
  CHECK(tick_text(1.5e6) == "1.5M");
  CHECK(tick_text(0.1 * 3) == "0.3");
  CHECK(tick_text(0.00002) == "2e-05");
  CHECK(tick_text(-12500) == "-12.5k");
}

TEST_CASE("each run is a curve in each plot", "[explore]") {
  const std::vector<TrainingRun> runs{run_called("first"), run_called("a<b>&c")};
  const std::string svg = curves_svg(runs);
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count(svg, "<g ") == count(svg, "</g>"));
  CHECK(count(svg, "<svg ") == count(svg, "</svg>"));
  for (const char* title : {"training loss", "validation loss", "BLEU", "learning rate", "gradient norm",
                            "tokens/s", "first", "a&lt;b>&amp;c"})
    CHECK(contains(svg, title));
  CHECK(!contains(svg, "a<b>"));
  // Loss 4, 3, 0 at the updates 0, 50, 100; the plot is 250 wide and 150 high, and 4 is its top.
  CHECK(contains(svg, "d=\"M0.0 0.0L125.0 37.5L250.0 150.0\""));
  // The gradient norm has a gap.
  CHECK(contains(svg, "M0.0 150.0M250.0 0.0"));
  // BLEU: one point of the curve at update 50, and the mean of checkpoints as a diamond at update 100.
  CHECK(contains(svg, "d=\"M125.0 150.0m-2 0h4\""));
  CHECK(contains(svg, "d=\"M250.0 -4.0l4 4l-4 4l-4 -4z\""));
  CHECK(count(svg, "l4 4l-4 4l-4 -4z") == 4);
  // A page gets the same plots one by one.
  const Json plots = plots_json(runs);
  REQUIRE(plots.size() == 6);
  for (const Json& plot : plots) CHECK(contains(svg, plot["svg"].get<std::string>()));
  CHECK(plots[2]["table"] == "validations");
  CHECK(plots[2]["column"] == "bleu");
  CHECK(contains(plots[2]["svg"].get<std::string>(), "data-last=\"100\""));
  CHECK(contains(svg, plots_style()));
}

TEST_CASE("plots without numbers say so", "[explore]") {
  TrainingRun run = run_called("no validation");
  for (auto& [column, values] : run.validations) values.clear();
  const std::vector<TrainingRun> runs{run};
  CHECK(count(curves_svg(runs), "no numbers in the log") == 2);
  CHECK(count(curves_svg({}), "no numbers in the log") == 6);
}

TEST_CASE("a plot by length has a curve per model and leaves out ranges that no model has", "[explore]") {
  const double none = std::nan("");
  // Ranges <2, 2-3, 4, >=5.
  const std::vector<LengthScores> models{
      {.name = "a", .bounds = {2, 4, 5}, .bleu = {none, 40, 20, 0}, .exact_match = {none, 80, none, 0}},
      {.name = "b", .bounds = {2, 4, 5}, .bleu = {none, 30, none, 10}, .exact_match = {none, 70, 60, 50}}};
  const std::string svg = length_curves_svg(models);
  CHECK(count(svg, "<g class=\"curve") == 4);
  // Three ranges, each in the middle of its third; BLEU 40 is at the top.
  CHECK(contains(svg, "d=\"M41.7 0.0L125.0 75.0L208.3 150.0\""));
  CHECK(contains(svg, "d=\"M41.7 37.5M208.3 112.5\""));
  CHECK(contains(svg, "d=\"M41.7 0.0M208.3 150.0\""));  // exact match of a
  for (const char* const text : {">2-3</text>", ">4</text>", ">>=5</text>", ">words of the reference</text>"})
    CHECK(count(svg, text) == 2);
  CHECK(!contains(svg, "&lt;2"));
  // With many ranges, not all have a name: names would overlap.
  LengthScores many{.name = "many", .bounds = {}, .bleu = {1}, .exact_match = {1}};
  for (regard::Index bound = 1; bound <= 19; ++bound) {
    many.bounds.push_back(10 * bound);
    many.bleu.push_back(1);
    many.exact_match.push_back(1);
  }
  const std::vector<LengthScores> one{many};
  CHECK(count(length_curves_svg(one), "text-anchor=\"middle\"") <= 2 * 7);
}

TEST_CASE("the seventh curve has the first colour and is dashed", "[explore]") {
  std::vector<TrainingRun> runs;
  for (int i = 0; i < 7; ++i) runs.push_back(run_called(fmt::format("run {}", i)));
  const std::string svg = curves_svg(runs);
  CHECK(count(svg, "class=\"curve colour-0 dash-0\"") == 7);  // of the legend and six plots
  CHECK(count(svg, "class=\"curve colour-0 dash-1\"") == 7);
}
