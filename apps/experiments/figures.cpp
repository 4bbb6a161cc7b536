#include "apps/experiments/figures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <sstream>

#include "apps/explore/plots.h"
#include "apps/translation/text/xml.h"
#include "autograd/error.h"

namespace regard::experiments {

namespace {

using explore::Axis;
using explore::Curve;

/// An axis of powers of ten. Its positions are logarithms to the base 10.
Axis logarithmic_axis(const std::vector<double>& logarithms) {
  const auto [least, most] = std::ranges::minmax(logarithms);
  const double low = std::floor(least + 1e-9), high = std::max(std::ceil(most - 1e-9), low + 1);
  Axis axis{.scale = {.least = low, .most = high, .step = 1}, .marks = {}, .label = {}};
  const double step = std::ceil((high - low) / 6);
  for (double power = low; power <= high; power += step)
    axis.marks.emplace_back(power, power >= -2 && power <= 4 ? explore::tick_text(std::pow(10, power))
                                                             : fmt::format("1e{:.0f}", power));
  return axis;
}

double position(double value, bool logarithmic) {
  if (!logarithmic) return value;
  return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

Axis across(const Figure& figure, std::size_t bars) {
  if (figure.at.empty())
    return {.scale = {.least = -0.6, .most = static_cast<double>(bars) - 0.4, .step = 1},
            .marks = {},
            .label = figure.x};
  std::vector<double> positions;
  for (const double x : figure.at) positions.push_back(position(x, figure.x_logarithmic));
  Axis axis{.scale = explore::make_scale(positions, 5), .marks = {}, .label = figure.x};
  if (figure.x_logarithmic) {
    // The values themselves, as many as fit.
    const auto [least, most] = std::ranges::minmax(positions);
    axis.scale = {.least = least, .most = std::max(most, least + 1e-9), .step = 1};
    const std::size_t step = figure.at.size() / 7 + 1;
    for (std::size_t i = 0; i < figure.at.size(); i += step)
      axis.marks.emplace_back(positions[i], explore::tick_text(figure.at[i]));
  } else {
    for (const double tick : axis.scale.ticks()) axis.marks.emplace_back(tick, explore::tick_text(tick));
  }
  return axis;
}

Curve curve_of(const Figure& figure, const Results& results, const std::string& variant, std::size_t number) {
  Curve curve{.x = {}, .y = {}, .bar = figure.at.empty()};
  const Index entries = figure.at.empty() ? 1 : to_index(figure.at.size());
  if (!figure.at.empty() && results.entries(variant, figure.measurement) != entries)
    fail("figure \"{}\" has {} places, but \"{}\" of \"{}\" has {} entries", figure.y, entries,
         figure.measurement, variant, results.entries(variant, figure.measurement));
  for (Index i = 0; i < entries; ++i) {
    const Range range = results.range(variant, figure.measurement, i);
    curve.x.push_back(figure.at.empty() ? static_cast<double>(number)
                                        : position(figure.at[to_size(i)], figure.x_logarithmic));
    curve.y.push_back(position(range.mean, figure.y_logarithmic));
    curve.least.push_back(position(range.least, figure.y_logarithmic));
    curve.most.push_back(position(range.most, figure.y_logarithmic));
  }
  return curve;
}

std::vector<std::string> split_words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string figure_svg(const Figure& figure, const Results& results) {
  const auto is_shown = [&](const std::string& variant) {
    return figure.variants.empty() || std::ranges::count(figure.variants, variant) > 0;
  };
  std::vector<Curve> curves;
  std::vector<double> values;
  std::size_t shown = 0;
  for (const Results::OfVariant& variant : results.variants) {
    curves.push_back(is_shown(variant.name) ? curve_of(figure, results, variant.name, shown++) : Curve{});
    for (const std::vector<double>* list : {&curves.back().least, &curves.back().most})
      std::ranges::copy_if(*list, std::back_inserter(values),
                           [](double value) { return std::isfinite(value); });
  }
  const Axis axis = across(figure, shown);
  explore::Plot plot{
      .title = figure.y, .across = axis, .curves = std::move(curves), .without_numbers = "no number"};
  if (figure.y_logarithmic && !values.empty()) plot.up = logarithmic_axis(values);
  return explore::plot_svg(plot);
}

/// A square for each pair of words, the darker the greater its weight.
std::string map_svg(const Figure& figure, const Results::OfVariant& variant) {
  const Results::Run& run = variant.runs.front();
  if (!run.texts.contains("reference") || !run.texts.contains("source"))
    fail("figure \"{}\" is a map, which needs the measure one_sentence", figure.y);
  const std::vector<std::string> rows = split_words(run.texts.at("reference")),
                                 columns = split_words(run.texts.at("source"));
  const double side = 120.0 / static_cast<double>(std::max(rows.size(), columns.size()));
  std::string svg = fmt::format("<g class=\"plot\"><text class=\"title\" x=\"58\" y=\"20\">{}</text>\n",
                                translation::xml_text(fmt::format("{}: {}", figure.y, variant.name)));
  for (std::size_t row = 0; row < rows.size(); ++row)
    svg += fmt::format("<text x=\"84\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                       30 + side * (static_cast<double>(row) + 0.5) + 4, translation::xml_text(rows[row]));
  for (std::size_t column = 0; column < columns.size(); ++column)
    svg += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(60)\">{}</text>\n",
                       90 + side * (static_cast<double>(column) + 0.3),
                       42 + side * static_cast<double>(rows.size()), translation::xml_text(columns[column]));
  svg += "<g class=\"colour-0\">\n";
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t column = 0; column < columns.size(); ++column)
      svg += fmt::format(
          "<rect class=\"fill\" style=\"fill-opacity: {:.2f}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
          "height=\"{:.1f}\"/>\n",
          run.value(figure.measurement, to_index(row * columns.size() + column)),
          90 + side * static_cast<double>(column), 30 + side * static_cast<double>(row), side - 1, side - 1);
  return svg + "</g></g>\n";
}

}  // namespace

std::string figures_svg(const Experiment& experiment, const Results& results) {
  std::vector<std::string> names, plots;
  for (const Results::OfVariant& variant : results.variants) names.push_back(variant.name);
  for (const Figure& figure : experiment.figures) {
    if (!figure.map) plots.push_back(figure_svg(figure, results));
    for (const Results::OfVariant& variant : results.variants)
      if (figure.map) plots.push_back(map_svg(figure, variant));
  }
  return explore::page_svg(experiment.claim.c_str(), names, plots);
}

}  // namespace regard::experiments
