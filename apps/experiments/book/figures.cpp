#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "apps/experiments/book/book.h"
#include "apps/experiments/measures/measures.h"
#include "apps/pictures/heat_map.h"
#include "apps/plots/plots.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

namespace {

using pictures::Axis;
using pictures::Curve;
using pictures::Row;

double position(double value, bool logarithmic) {
  if (!logarithmic) return value;
  return value > 0 ? std::log10(value) : -std::numeric_limits<double>::infinity();
}

/// An axis that holds these positions. A logarithmic one has powers of ten.
Axis axis_of(const std::vector<double>& positions, bool logarithmic) {
  std::vector<double> finite;
  std::ranges::copy_if(positions, std::back_inserter(finite), [](double one) { return std::isfinite(one); });
  if (!logarithmic || finite.empty()) return axis_with_ticks(pictures::make_scale(finite, 4));
  const auto [least, most] = std::ranges::minmax(finite);
  const double low = std::floor(least + 1e-9), high = std::max(std::ceil(most - 1e-9), low + 1);
  Axis axis{.scale = {.least = low, .most = high, .step = 1}, .marks = {}, .label = {}};
  for (double power = low; power <= high; power += std::ceil((high - low) / 6))
    axis.marks.emplace_back(power, power >= -2 && power <= 4 ? pictures::tick_text(std::pow(10, power))
                                                             : fmt::format("1e{:.0f}", power));
  return axis;
}

/// The horizontal axis of curves, with their places.
Axis places_axis(const Figure& figure) {
  std::vector<double> positions;
  for (const double x : figure.at) positions.push_back(position(x, figure.x_logarithmic));
  Axis axis{.scale = pictures::make_scale(positions, 5), .marks = {}, .label = figure.x};
  if (!figure.x_logarithmic) return axis_with_ticks(axis.scale, figure.x);
  // The values themselves, as many as fit.
  const auto [least, most] = std::ranges::minmax(positions);
  axis.scale = {.least = least, .most = std::max(most, least + 1e-9), .step = 1};
  for (std::size_t i = 0; i < figure.at.size(); i += figure.at.size() / 7 + 1)
    axis.marks.emplace_back(positions[i], pictures::tick_text(figure.at[i]));
  return axis;
}

/// The marks of the rule on this entry itself, and not on a difference.
std::vector<double> marks_on(const Figure& figure, const Rule& rule, const std::string& variant,
                             Index index) {
  std::vector<double> marks;
  for (const Comparison& one : comparisons(rule))
    if (const Formula& entry = one.formula;
        entry.measurement == figure.measurement && entry.variant == variant && entry.index == index)
      marks.push_back(position(one.mark, figure.y_logarithmic));
  return marks;
}

/// An entry of a measurement of a variant: its seeds and the interval of their mean, as positions.
Row row_of(const Figure& figure, const Rule& rule, const Results::OfVariant& variant, Index index) {
  std::vector<double> values;
  for (const Results::Run& run : variant.runs) values.push_back(run.value(figure.measurement, index));
  Interval mean = interval(values, rule.error());
  if (values.size() == 1) mean.low = mean.high = mean.mean;
  const auto at = [&](double value) { return position(value, figure.y_logarithmic); };
  Row row{.name = variant.name,
          .points = {},
          .mean = at(mean.mean),
          .least = at(mean.low),
          .most = at(mean.high)};
  for (const double value : values) row.points.push_back(at(value));
  row.marks = marks_on(figure, rule, variant.name, index);
  return row;
}

/// The rows of a figure, those of a variant after another: one for each of its places.
std::vector<Row> rows_of(const Figure& figure, const Experiment& experiment, const Results& results) {
  std::vector<Row> rows;
  const Index places = figure.at.empty() ? 1 : to_index(figure.at.size());
  for (std::size_t i = 0; i < results.variants.size(); ++i) {
    const Results::OfVariant& variant = results.variants[i];
    if (!figure.variants.empty() && std::ranges::count(figure.variants, variant.name) == 0) continue;
    const std::size_t entries = variant.runs.front().measurements.at(figure.measurement).size();
    if (!figure.at.empty() && entries != figure.at.size())
      fail("figure \"{}\" has {} places, but \"{}\" of \"{}\" has {} entries", figure.y, places,
           figure.measurement, variant.name, entries);
    for (Index place = 0; place < places; ++place) {
      rows.push_back(row_of(figure, experiment.rule, variant, figure.at.empty() ? figure.index : place));
      rows.back().colour = i;
    }
  }
  return rows;
}

/// All numbers that an axis has to show.
std::vector<double> positions(const Figure& figure, const std::vector<Row>& rows) {
  std::vector<double> list;
  for (const double y : figure.line_at) list.push_back(position(y, figure.y_logarithmic));
  for (const Row& row : rows) {
    list.insert(list.end(), {row.least, row.most});
    list.insert(list.end(), row.marks.begin(), row.marks.end());
    if (figure.at.empty()) list.insert(list.end(), row.points.begin(), row.points.end());
  }
  return list;
}

/// Curves through the rows of each variant; then the line that is no variant.
std::string curves_svg(const Figure& figure, const std::vector<Row>& rows, const Axis& up,
                       const std::vector<std::string>& names) {
  const Axis axis = places_axis(figure);
  std::vector<Curve> curves(names.size());
  const auto place = [&](std::size_t i) { return position(figure.at[i], figure.x_logarithmic); };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Curve& curve = curves[rows[i].colour];
    const double x = place(i % figure.at.size());
    curve.x.push_back(x);
    curve.y.push_back(rows[i].mean);
    curve.least.push_back(rows[i].least);
    curve.most.push_back(rows[i].most);
    for (const double mark : rows[i].marks) curve.marks.emplace_back(x, mark);
  }
  for (std::size_t i = 0; i < figure.line_at.size(); ++i) {
    Curve& line = curves[to_size(std::ranges::find(names, figure.line) - names.begin())];
    line.x.push_back(place(i));
    line.y.push_back(position(figure.line_at[i], figure.y_logarithmic));
  }
  return pictures::plot_svg({.title = figure.y,
                             .across = axis,
                             .curves = std::move(curves),
                             .without_numbers = "no number",
                             .up = up});
}

/// The rule: each comparison has a scale of its own, whose middle is the mark, with "yes" on the right.
std::string rule_svg(const Decision& decision) {
  std::vector<Row> rows;
  for (const Decided& one : decision.comparisons) {
    if (one.need) continue;
    const Comparison& comparison = *one.comparison;
    double widest = 1e-300;  // distance from the mark
    for (const double value : one.values) widest = std::max(widest, std::abs(value - comparison.mark));
    for (const double end : {one.effect.low, one.effect.high})
      if (std::isfinite(end)) widest = std::max(widest, std::abs(end - comparison.mark));
    const auto at = [&](double value) {
      return (comparison.at_least ? 1 : -1) * (value - comparison.mark) / widest;
    };
    Row row{.name = fmt::format("{}: {}, needs {} {}: {}", one.label, short_text(one.effect.mean),
                                comparison.at_least ? ">=" : "<=", short_text(comparison.mark),
                                to_string(one.answer)),
            .points = {},
            .mean = at(one.effect.mean),
            .least = at(one.effect.low),
            .most = at(one.effect.high)};
    std::ranges::transform(one.values, std::back_inserter(row.points), at);
    row.marks = {0};
    row.colour = 5;  // grey, because it is no variant
    rows.push_back(std::move(row));
  }
  const Axis axis{.scale = {.least = -1.1, .most = 1.1, .step = 1},
                  .marks = {{-1, "no"}, {0, "mark"}, {1, "yes"}},
                  .label = {}};
  return pictures::rows_svg("the rule", axis, rows);
}

std::string map_svg(const Figure& figure, const Results::OfVariant& variant) {
  const Results::Run& run = variant.runs.front();
  pictures::Attention attention{words(run.texts.at("source")), words(run.texts.at("reference")), {}};
  const Index rows = to_index(attention.target_tokens.size()),
              columns = to_index(attention.source_tokens.size());
  attention.weights = Tensor::empty({rows, columns});
  for (Index i = 0; i < rows * columns; ++i)
    attention.weights.data()[i] = static_cast<Real>(run.value(figure.measurement, i));
  return pictures::heat_map_plot(fmt::format("{}: {}", figure.y, variant.name), attention);
}

}  // namespace

std::string figures_svg(const Experiment& experiment, const Results& results) {
  std::vector<std::string> names;
  for (const Results::OfVariant& variant : results.variants) names.push_back(variant.name);
  std::size_t most_rows = to_size(count(experiment.rule));
  std::vector<std::vector<Row>> rows;                                  // of each figure
  std::map<std::pair<std::string, bool>, std::vector<double>> shared;  // positions on each axis
  bool curves = false;
  for (const Figure& figure : experiment.figures) {
    rows.push_back(figure.map ? std::vector<Row>() : rows_of(figure, experiment, results));
    std::ranges::copy(positions(figure, rows.back()),
                      std::back_inserter(shared[{figure.axis, figure.y_logarithmic}]));
    if (figure.at.empty()) most_rows = std::max(most_rows, rows.back().size());
    curves = curves || !figure.at.empty();
    if (!figure.line.empty() && std::ranges::count(names, figure.line) == 0) names.push_back(figure.line);
  }
  std::vector<std::string> plots{rule_svg(decide(experiment.rule, results))};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Figure& figure = experiment.figures[i];
    for (const Results::OfVariant& variant : results.variants)
      if (figure.map) plots.push_back(map_svg(figure, variant));
    if (figure.map) continue;
    const Axis axis = axis_of(shared[{figure.axis, figure.y_logarithmic}], figure.y_logarithmic);
    plots.push_back(figure.at.empty() ? pictures::rows_svg(figure.y, axis, rows[i])
                                      : curves_svg(figure, rows[i], axis, names));
  }
  if (!curves) names.clear();  // rows have their names beside them
  return pictures::page_svg(experiment.claim.c_str(), names, plots,
                            std::max(pictures::plot_height, pictures::rows_height(most_rows)));
}

}  // namespace regard::experiments
