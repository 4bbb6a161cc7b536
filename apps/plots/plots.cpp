#include "apps/plots/plots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>

#include "apps/translation/files/utf8.h"
#include "apps/translation/text/xml.h"
#include "autograd/machine/real.h"

namespace regard::pictures {

namespace {

/// The smallest of 1, 2, 5, 10, 20, ... times a power of ten that is at least `length`.
double round_step(double length) {
  const double power = std::pow(10, std::floor(std::log10(length)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= length) return factor * power;
  return 10 * power;
}

}  // namespace

std::vector<double> Scale::ticks() const {
  std::vector<double> result;
  // Multiples, because a sum of steps would round: 0.30000000000000004.
  const double first = std::ceil(least / step - 1e-6), last = std::floor(most / step + 1e-6);
  for (double multiple = first; multiple <= last; ++multiple)
    result.push_back(multiple * step + 0.0);  // -0 becomes 0
  return result;
}

Scale make_scale(const std::vector<double>& values, int ticks) {
  constexpr double largest = 1e100;
  double least = largest, most = -largest;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, std::clamp(value, -largest, largest));
    most = std::max(most, std::clamp(value, -largest, largest));
  }
  if (least > most || (least == 0 && most == 0)) return {};
  // Below this width, neighbouring ticks would have the same text.
  const double narrowest = std::max({std::abs(least), std::abs(most), 1e-100}) * 1e-4;
  if (most - least < narrowest) {
    least -= narrowest;
    most += narrowest;
  }
  const double step = round_step((most - least) / ticks);
  return {.least = std::floor(least / step + 1e-6) * step,
          .most = std::ceil(most / step - 1e-6) * step,
          .step = step};
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size >= 1e9) return fmt::format("{:.6g}", value);
  if (size >= 1e6) return fmt::format("{:.6g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.6g}k", value / 1e3);
  return fmt::format("{:.6g}", value);
}

Axis axis_with_ticks(const Scale& scale, std::string label) {
  Axis axis{.scale = scale, .marks = {}, .label = std::move(label)};
  for (const double tick : scale.ticks()) axis.marks.emplace_back(tick, tick_text(tick));
  return axis;
}

namespace {

// Six hues of Okabe and Ito's palette, which colour-blind readers tell apart; lighter ones on dark ground.
// The seventh curve has the first colour again, but is dashed. Plain properties and no CSS variables, because
// many programs that draw SVG do not know these.
constexpr std::array light_colours{"#0072b2", "#d55e00", "#009e73", "#b0578d", "#b07c00", "#4a4a4a"};
constexpr std::array dark_colours{"#56b4e9", "#ff8c42", "#2fd3a2", "#e79fca", "#f0c649", "#cccccc"};
constexpr std::array dashes{"none", "7 3", "2 3"};

/// Sizes in pixels.
constexpr double left = 58, right = 14, top = 30, bottom = 40;  ///< around a plot
constexpr double cell_width = left + plot_width + right;
constexpr double row_height = 26;
constexpr std::size_t plots_per_row = 3;
constexpr double legend_row = 20, legend_letter = 7.5, margin = 10;

/// Classes of the style.
std::string curve_class(std::size_t curve) {
  return fmt::format("curve colour-{} dash-{}", curve % light_colours.size(),
                     curve / light_colours.size() % dashes.size());
}

struct Legend {
  std::string svg;
  double height;
};

Legend legend(std::span<const std::string> names, double width) {
  std::string svg;
  double x = margin, y = margin + 10;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto letters = static_cast<double>(translation::decode_utf8(names[i]).size());
    const double entry = 34 + legend_letter * letters + 18;
    if (x > margin && x + entry > width) {
      x = margin;
      y += legend_row;
    }
    svg += fmt::format("<path class=\"{}\" d=\"M{} {}h26\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
                       curve_class(i), x, y, x + 34, y + 4, translation::xml_text(names[i]));
    x += entry;
  }
  return {svg, y + legend_row / 2};
}

/// Grid lines at the marks of the horizontal axis, with their texts and the label.
std::string grid_across(const Axis& across, double height) {
  std::string svg;
  if (!across.label.empty())
    svg = fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", plot_width, height + 32,
                      translation::xml_text(across.label));
  for (const auto& [position, text] : across.marks)
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} 0v{1}\"/><text x=\"{0:.1f}\" y=\"{2}\" "
        "text-anchor=\"middle\">{3}</text>\n",
        across.scale.part(position) * plot_width, height, height + 16, translation::xml_text(text));
  return svg;
}

/// The same of the vertical axis.
std::string grid_up(const Axis& up) {
  std::string svg;
  for (const auto& [position, text] : up.marks) {
    const double y = (1 - up.scale.part(position)) * plot_height;
    svg += fmt::format(
        "<path class=\"grid\" d=\"M0 {0:.1f}h{1}\"/><text x=\"-6\" y=\"{2:.1f}\" "
        "text-anchor=\"end\">{3}</text>\n",
        y, plot_width, y + 4, translation::xml_text(text));
  }
  return svg;
}

/// An axis that holds all numbers of the curves, with round marks.
Axis axis_for(const std::vector<Curve>& curves) {
  std::vector<double> values;
  for (const Curve& curve : curves)
    for (const std::vector<double>* list : {&curve.y, &curve.least, &curve.most})
      values.insert(values.end(), list->begin(), list->end());
  return axis_with_ticks(make_scale(values, 4));
}

double width_to(double value, const Scale& across) {
  return std::clamp(across.part(value), 0.0, 1.0) * plot_width;
}

double height_of(double value, const Scale& up) {
  return (1 - std::clamp(up.part(value), 0.0, 1.0)) * plot_height;
}

/// The area between the least and the greatest numbers of a curve.
std::string band_svg(const Curve& curve, const Scale& across, const Scale& up) {
  std::string there, back;
  for (std::size_t i = 0; i < curve.least.size(); ++i) {
    if (std::isnan(curve.least[i]) || std::isnan(curve.most[i])) continue;
    const double x = width_to(curve.x[i], across);
    there += fmt::format("{}{:.1f} {:.1f}", there.empty() ? "M" : "L", x, height_of(curve.most[i], up));
    back = fmt::format("L{:.1f} {:.1f}", x, height_of(curve.least[i], up)) + back;
  }
  return there.empty() ? "" : fmt::format("<path class=\"band\" d=\"{}{}Z\"/>", there, back);
}

std::string curve_svg(const Curve& curve, const Scale& across, const Scale& up) {
  std::string line, diamonds;
  bool pen_down = false;
  std::size_t points = 0;
  for (std::size_t i = 0; i < curve.y.size(); ++i) {
    if (!std::isfinite(curve.y[i])) {
      pen_down = false;
      continue;
    }
    const double x = width_to(curve.x[i], across);
    const double y = height_of(curve.y[i], up);
    if (!curve.beside.empty() && curve.beside[i]) {
      diamonds += fmt::format("<path d=\"M{:.1f} {:.1f}l4 4l-4 4l-4 -4z\"/>", x, y - 4);
      continue;
    }
    line += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, y);
    pen_down = true;
    ++points;
  }
  if (points == 1) line += "m-2 0h4";  // a line through one point would be invisible
  for (const auto& [x, y] : curve.marks)
    diamonds += fmt::format("<path class=\"mark\" d=\"M{:.1f} {:.1f}h20\"/>", width_to(x, across) - 10,
                            height_of(y, up));
  return band_svg(curve, across, up) + (line.empty() ? "" : fmt::format("<path d=\"{}\"/>", line)) + diamonds;
}

}  // namespace

std::string plot_frame(const std::string& title, const std::string& content, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{0}\" height=\"{1}\" viewBox=\"{2} "
      "{3} {0} "
      "{1}\" role=\"img\" aria-label=\"{4}\">\n<text class=\"title\" x=\"0\" y=\"-10\">{4}</text>\n"
      "{5}</svg>\n",
      cell_width, top + height + bottom, -left, -top, translation::xml_text(title), content);
}

std::string plot_svg(const Plot& plot) {
  const auto has_number = [](const Curve& curve) {
    return std::ranges::any_of(curve.y, [](double value) { return std::isfinite(value); });
  };
  if (std::ranges::none_of(plot.curves, has_number))
    return plot_frame(
        plot.title, fmt::format("<text x=\"0\" y=\"{}\">{}</text>\n", plot_height / 2, plot.without_numbers));
  const Axis up = plot.up ? *plot.up : axis_for(plot.curves);
  std::string svg = grid_across(plot.across, plot_height) + grid_up(up) +
                    fmt::format("<rect class=\"area\" width=\"{}\" height=\"{}\" data-last=\"{}\"/>\n",
                                plot_width, plot_height, plot.across.scale.most);
  for (std::size_t i = 0; i < plot.curves.size(); ++i)
    svg += fmt::format("<g class=\"{}\" data-run=\"{}\">{}</g>\n", curve_class(i), i,
                       curve_svg(plot.curves[i], plot.across.scale, up.scale));
  return plot_frame(plot.title, svg);
}

double rows_height(std::size_t rows) { return row_height * static_cast<double>(rows) + 6; }

std::string rows_svg(const std::string& title, const Axis& across, const std::vector<Row>& rows) {
  const double height = rows_height(rows.size());
  std::string svg = grid_across(across, height) +
                    fmt::format("<rect class=\"area\" width=\"{}\" height=\"{}\"/>\n", plot_width, height);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const double y = row_height * static_cast<double>(i), middle = y + 20;
    svg += fmt::format("<text x=\"2\" y=\"{}\">{}</text><g class=\"{}\">", y + 12,
                       translation::xml_text(row.name), curve_class(row.colour));
    for (const double point : row.points)
      svg += fmt::format("<circle class=\"fill\" cx=\"{:.1f}\" cy=\"{}\" r=\"2.5\"/>",
                         width_to(point, across.scale), middle);
    svg +=
        fmt::format("<path d=\"M{:.1f} {}H{:.1f}M{:.1f} {}v8\"/>", width_to(row.least, across.scale), middle,
                    width_to(row.most, across.scale), width_to(row.mean, across.scale), middle - 4);
    for (const double mark : row.marks)
      svg += fmt::format("<path class=\"mark\" d=\"M{:.1f} {}v{}\"/>", width_to(mark, across.scale), y + 14,
                         row_height - 14);
    svg += "</g>\n";
  }
  return plot_frame(title, svg, height);
}

std::string page_svg(const char* title, std::span<const std::string> names,
                     const std::vector<std::string>& plots, double plots_height) {
  const double cell_height = top + plots_height + bottom;
  const std::size_t columns = std::min(plots.size(), plots_per_row);
  const double width = cell_width * static_cast<double>(columns) + margin;
  const auto [legend_svg, legend_height] = legend(names, width);
  const std::size_t rows = ceil_divide(plots.size(), plots_per_row);
  const double height = legend_height + cell_height * static_cast<double>(rows) + margin;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
      "{0} {1}\" "
      "role=\"img\">\n<title>{4}</title>\n<style>\n{2}.ground {{ fill: #ffffff; }}\n"
      "@media (prefers-color-scheme: dark) {{ .ground {{ fill: #16181c; }} }}\n</style>\n"
      "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n{3}",
      width, height, plots_style(), legend_svg, translation::xml_text(title));
  for (std::size_t i = 0; i < plots.size(); ++i)
    svg += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n",
                       cell_width * static_cast<double>(i % plots_per_row),
                       legend_height + cell_height * static_cast<double>(i / plots_per_row), plots[i]);
  return svg + "</svg>\n";
}

std::string plots_style() {
  std::string light, dark, dashed;
  for (std::size_t i = 0; i < light_colours.size(); ++i) {
    light +=
        fmt::format(".colour-{0} {{ stroke: {1}; }} .colour-{0} .band, .colour-{0} .fill {{ fill: {1}; }}\n",
                    i, light_colours[i]);
    dark +=
        fmt::format(".colour-{0} {{ stroke: {1}; }} .colour-{0} .band, .colour-{0} .fill {{ fill: {1}; }}\n",
                    i, dark_colours[i]);
  }
  for (std::size_t i = 0; i < dashes.size(); ++i)
    dashed += fmt::format(".dash-{} {{ stroke-dasharray: {}; }}\n", i, dashes[i]);
  return fmt::format(
      ".plot text {{ font: 12px sans-serif; fill: #222222; }}\n"
      ".plot .title {{ font-weight: bold; }}\n"
      ".grid {{ stroke: #dddddd; }}\n.area {{ fill: none; }}\n"
      ".curve {{ fill: none; stroke-width: 1.6; stroke-linejoin: round; }}\n"
      ".band {{ stroke: none; fill-opacity: 0.18; }}\n"
      ".fill {{ stroke: none; fill-opacity: 0.45; }}\n"
      ".mark {{ stroke: #222222; stroke-dasharray: none; }}\n"
      "{}{}@media (prefers-color-scheme: dark) {{\n"
      ".plot text {{ fill: #e6e6e6; }}\n"
      ".grid {{ stroke: #3a3d44; }}\n.mark {{ stroke: #e6e6e6; }}\n"
      "{}}}\n",
      dashed, light, dark);
}

}  // namespace regard::pictures
