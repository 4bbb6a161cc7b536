#include "apps/explore/curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "apps/more_measures/by_length.h"
#include "apps/plots/plots.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"
#include "autograd/machine/files.h"

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

namespace {

/// Reads all but the name.
LengthScores read_scores(const std::string& path) {
  const Json json = translation::parse_json(read_file(path), path);
  translation::check_format(json, 1, path);
  try {
    constexpr Index most = 1'000'000'000;
    if (!translation::whole_numbers(most, 1, most).holds(json.at("length_bounds")))
      fail("{}: \"length_bounds\" must be whole numbers from 1 to {}", path, most);
    LengthScores scores{.name = {}, .bounds = json.at("length_bounds"), .bleu = {}, .exact_match = {}};
    scores.bleu.resize(scores.bounds.size() + 1, std::numeric_limits<double>::quiet_NaN());
    scores.exact_match = scores.bleu;
    for (const Json& bucket : json.at("lengths")) {
      const auto above = std::ranges::upper_bound(scores.bounds, bucket.at("shortest").get<double>());
      const auto range = to_size(above - scores.bounds.begin());
      scores.bleu[range] = bucket.at("bleu");
      if (!bucket.at("exact_match").is_null())
        scores.exact_match[range] = 100 * bucket.at("exact_match").get<double>();
    }
    return scores;
  } catch (const Json::exception&) {
    fail("{}: these are no scores by length; give files that regard evaluate --scores-json has written",
         path);
  }
}

/// The range that begins at bound `range - 1`.
std::string range_name(const std::vector<Index>& bounds, std::size_t range) {
  const translation::LengthBucket bucket{
      .shortest = range == 0 ? 0 : bounds[range - 1],
      .longest = range < bounds.size() ? std::optional(bounds[range] - 1) : std::nullopt,
      .sentences = 0,
      .bleu = {},
      .exact_match = {}};
  return bucket.name();
}

/// The axis of the ranges from `first` to `last`, at 0, 1, 2, …
Axis length_axis(const std::vector<Index>& bounds, std::size_t first, std::size_t last) {
  Axis axis{.scale = {.least = -0.5, .most = static_cast<double>(last - first) + 0.5, .step = 1},
            .marks = {},
            .label = "words of the reference"};
  // More names would overlap.
  constexpr std::size_t most_marks = 6;
  const std::size_t step = (last - first) / most_marks + 1;
  for (std::size_t range = first; range <= last; range += step)
    axis.marks.emplace_back(static_cast<double>(range - first), range_name(bounds, range));
  return axis;
}

std::string scores_svg(const char* title, std::span<const LengthScores> models,
                       std::vector<double> LengthScores::*scores, std::size_t first, const Axis& across) {
  Plot plot{.title = title, .across = across, .curves = {}, .without_numbers = "no sentence"};
  for (const LengthScores& model : models) {
    Curve& curve = plot.curves.emplace_back();
    for (std::size_t range = first; range < (model.*scores).size(); ++range) {
      curve.x.push_back(static_cast<double>(range - first));
      curve.y.push_back((model.*scores)[range]);
    }
  }
  return pictures::plot_svg(plot);
}

}  // namespace

std::vector<LengthScores> read_length_scores(const std::vector<std::string>& paths) {
  std::vector<std::string> without_ending;
  for (const std::string& path : paths)
    without_ending.push_back(path.ends_with(".json") ? path.substr(0, path.size() - 5) : path);
  const std::vector<std::string> names = run_names(without_ending);
  std::vector<LengthScores> models;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    models.push_back(read_scores(paths[i]));
    models.back().name = names[i];
    if (models.back().bounds != models.front().bounds)
      fail("{} has the length bounds {}, but {} has {}; evaluate both with the same --length-bounds",
           paths[i], fmt::join(models.back().bounds, ","), paths[0], fmt::join(models.front().bounds, ","));
  }
  return models;
}

std::string length_curves_svg(std::span<const LengthScores> models) {
  const std::vector<Index>& bounds = models.front().bounds;
  const auto is_empty = [&](std::size_t range) {
    return std::ranges::none_of(models,
                                [&](const LengthScores& model) { return std::isfinite(model.bleu[range]); });
  };
  std::size_t first = 0, last = bounds.size();
  while (first < last && is_empty(first)) ++first;
  while (first < last && is_empty(last)) --last;
  const Axis across = length_axis(bounds, first, last);
  std::vector<std::string> names;
  for (const LengthScores& model : models) names.push_back(model.name);
  return pictures::page_svg(
      "Quality by length", names,
      {scores_svg("BLEU", models, &LengthScores::bleu, first, across),
       scores_svg("exact match in %", models, &LengthScores::exact_match, first, across)});
}

}  // namespace regard::explore
