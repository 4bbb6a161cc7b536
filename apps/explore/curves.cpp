#include "apps/explore/curves.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "apps/pictures/plots.h"

namespace regard::explore {

namespace {

using pictures::Axis, pictures::Curve, pictures::Plot, pictures::Scale;

/// One small plot: a column of one of the two tables of a log.
struct Panel {
  const char *title, *table, *column;
};
constexpr std::array panels{
    Panel{"training loss", "points", "loss"},
    Panel{"validation loss", "validations", "loss"},
    Panel{"BLEU of the validation", "validations", "bleu"},
    Panel{"learning rate", "points", "learning_rate"},
    Panel{"gradient norm", "points", "gradient_norm"},
    Panel{"tokens/s", "points", "tokens_per_second"},
};

/// The axis of the updates, which all plots share.
Axis step_axis(std::span<const TrainingRun> runs) {
  std::vector<double> steps{0};
  for (const TrainingRun& run : runs)
    for (const LogTable* table : {&run.points, &run.validations})
      steps.insert(steps.end(), table->at("step").begin(), table->at("step").end());
  Scale across = pictures::make_scale(steps, 4);
  across.most = std::max(across.least + across.step / 2, *std::ranges::max_element(steps));  // no empty end
  return axis_with_ticks(across, "update");
}

Curve curve_of(const TrainingRun& run, const Panel& panel) {
  const LogTable& table = panel.table == std::string_view("points") ? run.points : run.validations;
  Curve curve{.x = table.at("step"), .y = table.at(panel.column)};
  if (const auto averaged = table.find("averaged"); averaged != table.end())
    for (const double checkpoints : averaged->second) curve.beside.push_back(checkpoints > 0);
  return curve;
}

std::string panel_svg(const Panel& panel, std::span<const TrainingRun> runs, const Axis& across) {
  Plot plot{.title = panel.title, .across = across, .curves = {}, .without_numbers = "no numbers in the log"};
  for (const TrainingRun& run : runs) plot.curves.push_back(curve_of(run, panel));
  return pictures::plot_svg(plot);
}

}  // namespace

Json plots_json(std::span<const TrainingRun> runs) {
  const Axis across = step_axis(runs);
  Json json = Json::array();
  for (const Panel& panel : panels)
    json.push_back(
        {{"table", panel.table}, {"column", panel.column}, {"svg", panel_svg(panel, runs, across)}});
  return json;
}

std::string curves_svg(std::span<const TrainingRun> runs) {
  const Axis across = step_axis(runs);
  std::vector<std::string> names, plots;
  for (const TrainingRun& run : runs) names.push_back(run.name);
  for (const Panel& panel : panels) plots.push_back(panel_svg(panel, runs, across));
  return pictures::page_svg("Learning curves", names, plots);
}

}  // namespace regard::explore
