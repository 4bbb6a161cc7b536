#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <sstream>

#include "apps/experiments/book.h"
#include "apps/pictures/heat_map.h"
#include "apps/pictures/plots.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

namespace {

using pictures::Axis;
using pictures::Curve;

/// An axis of powers of ten. Its positions are logarithms to the base 10.
Axis logarithmic_axis(const std::vector<double>& logarithms) {
  const auto [least, most] = std::ranges::minmax(logarithms);
  const double low = std::floor(least + 1e-9), high = std::max(std::ceil(most - 1e-9), low + 1);
  Axis axis{.scale = {.least = low, .most = high, .step = 1}, .marks = {}, .label = {}};
  const double step = std::ceil((high - low) / 6);
  for (double power = low; power <= high; power += step)
    axis.marks.emplace_back(power, power >= -2 && power <= 4 ? pictures::tick_text(std::pow(10, power))
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
  Axis axis{.scale = pictures::make_scale(positions, 5), .marks = {}, .label = figure.x};
  if (figure.x_logarithmic) {
    // The values themselves, as many as fit.
    const auto [least, most] = std::ranges::minmax(positions);
    axis.scale = {.least = least, .most = std::max(most, least + 1e-9), .step = 1};
    const std::size_t step = figure.at.size() / 7 + 1;
    for (std::size_t i = 0; i < figure.at.size(); i += step)
      axis.marks.emplace_back(positions[i], pictures::tick_text(figure.at[i]));
    return axis;
  }
  return axis_with_ticks(axis.scale, figure.x);
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
  pictures::Plot plot{
      .title = figure.y, .across = axis, .curves = std::move(curves), .without_numbers = "no number"};
  if (figure.y_logarithmic && !values.empty()) plot.up = logarithmic_axis(values);
  return pictures::plot_svg(plot);
}

std::string map_svg(const Figure& figure, const Results::OfVariant& variant) {
  const Results::Run& run = variant.runs.front();
  if (!run.texts.contains("reference") || !run.texts.contains("source"))
    fail("figure \"{}\" is a map, which needs the measure one_sentence", figure.y);
  pictures::Attention attention{
      split_words(run.texts.at("source")), split_words(run.texts.at("reference")), {}};
  const Index rows = to_index(attention.target_tokens.size()),
              columns = to_index(attention.source_tokens.size());
  attention.weights = Tensor::empty({rows, columns});
  for (Index i = 0; i < rows * columns; ++i)
    attention.weights.data()[i] = static_cast<Real>(run.value(figure.measurement, i));
  return pictures::heat_map_plot(fmt::format("{}: {}", figure.y, variant.name), attention);
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
  return pictures::page_svg(experiment.claim.c_str(), names, plots);
}

}  // namespace regard::experiments
