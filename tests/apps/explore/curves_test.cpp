#include "apps/explore/curves.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard::explore;
using regard::tests::contains;

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

TEST_CASE("the seventh curve has the first colour and is dashed", "[explore]") {
  std::vector<TrainingRun> runs;
  for (int i = 0; i < 7; ++i) runs.push_back(run_called(fmt::format("run {}", i)));
  const std::string svg = curves_svg(runs);
  CHECK(count(svg, "class=\"curve colour-0 dash-0\"") == 7);  // of the legend and six plots
  CHECK(count(svg, "class=\"curve colour-0 dash-1\"") == 7);
}
