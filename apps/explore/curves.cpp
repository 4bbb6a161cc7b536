#include "apps/explore/curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::explore {

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

namespace {

// Six hues of Okabe and Ito's palette, which colour-blind readers tell apart; lighter ones on dark ground.
// The seventh curve has the first colour again, but is dashed. Plain properties and no CSS variables, because
// many programs that draw SVG do not know these.
constexpr std::array light_colours{"#0072b2", "#d55e00", "#009e73", "#b0578d", "#b07c00", "#4a4a4a"};
constexpr std::array dark_colours{"#56b4e9", "#ff8c42", "#2fd3a2", "#e79fca", "#f0c649", "#cccccc"};
constexpr std::array dashes{"none", "7 3", "2 3"};

/// Sizes in pixels.
constexpr double plot_width = 250, plot_height = 150;
constexpr double left = 58, right = 14, top = 30, bottom = 40;  ///< around a plot
constexpr double cell_width = left + plot_width + right, cell_height = top + plot_height + bottom;
constexpr std::size_t plots_per_row = 3;
constexpr double legend_row = 20, letter = 7.5, margin = 10;

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

const LogTable& table_of(const TrainingRun& run, const Panel& panel) {
  return panel.table == std::string_view("points") ? run.points : run.validations;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (character == '&')
      result += "&amp;";
    else if (character == '<')
      result += "&lt;";
    else
      result += character;
  }
  return result;
}

/// Classes of the style.
std::string curve_class(std::size_t run) {
  return fmt::format("curve colour-{} dash-{}", run % light_colours.size(),
                     run / light_colours.size() % dashes.size());
}

struct Legend {
  std::string svg;
  double height;
};

Legend legend(std::span<const TrainingRun> runs, double width) {
  std::string svg;
  double x = margin, y = margin + 10;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto letters = static_cast<double>(translation::decode_utf8(runs[i].name).size());
    const double entry = 34 + letter * letters + 18;
    if (x > margin && x + entry > width) {
      x = margin;
      y += legend_row;
    }
    svg += fmt::format("<path class=\"{}\" d=\"M{} {}h26\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
                       curve_class(i), x, y, x + 34, y + 4, escaped(runs[i].name));
    x += entry;
  }
  return {svg, y + legend_row / 2};
}

/// The axes of a plot: grid lines at the ticks and their numbers.
std::string axes(const Scale& across, const Scale& up) {
  std::string svg;
  for (const double tick : across.ticks()) {
    const double x = across.part(tick) * plot_width;
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} 0v{1}\"/><text x=\"{0:.1f}\" y=\"{2}\" "
        "text-anchor=\"middle\">{3}</text>\n",
        x, plot_height, plot_height + 16, tick_text(tick));
  }
  for (const double tick : up.ticks()) {
    const double y = (1 - up.part(tick)) * plot_height;
    svg += fmt::format(
        "<path class=\"grid\" d=\"M0 {0:.1f}h{1}\"/><text x=\"-6\" y=\"{2:.1f}\" "
        "text-anchor=\"end\">{3}</text>\n",
        y, plot_width, y + 4, tick_text(tick));
  }
  return svg;
}

/// One run in one plot. A number that is missing interrupts the curve.
std::string curve(const LogTable& table, const std::vector<double>& values, const Scale& across,
                  const Scale& up) {
  const auto averaged = table.find("averaged");
  std::string line, diamonds;
  bool pen_down = false;
  std::size_t points = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool mean = averaged != table.end() && averaged->second[i] > 0;
    if (!std::isfinite(values[i])) {
      pen_down = false;
      continue;
    }
    const double x = std::clamp(across.part(table.at("step")[i]), 0.0, 1.0) * plot_width;
    const double y = (1 - std::clamp(up.part(values[i]), 0.0, 1.0)) * plot_height;
    if (mean) {
      diamonds += fmt::format("<path d=\"M{:.1f} {:.1f}l4 4l-4 4l-4 -4z\"/>", x, y - 4);
      continue;
    }
    line += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, y);
    pen_down = true;
    ++points;
  }
  if (points == 1) line += "m-2 0h4";  // a line through one point would be invisible
  return (line.empty() ? "" : fmt::format("<path d=\"{}\"/>", line)) + diamonds;
}

/// The axis of the steps, which all plots share.
Scale step_scale(std::span<const TrainingRun> runs) {
  std::vector<double> steps{0};
  for (const TrainingRun& run : runs)
    for (const LogTable* table : {&run.points, &run.validations})
      steps.insert(steps.end(), table->at("step").begin(), table->at("step").end());
  Scale across = make_scale(steps, 4);
  across.most = std::max(across.least + across.step / 2, *std::ranges::max_element(steps));  // no empty end
  return across;
}

std::string plot_svg(const Panel& panel, std::span<const TrainingRun> runs, const Scale& across) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{0}\" height=\"{1}\" viewBox=\"{2} "
      "{3} {0} "
      "{1}\" role=\"img\" aria-label=\"{4}\">\n<text class=\"title\" x=\"0\" y=\"-10\">{4}</text>\n",
      cell_width, cell_height, -left, -top, panel.title);
  std::vector<double> values;
  for (const TrainingRun& run : runs) {
    const std::vector<double>& of_run = table_of(run, panel).at(panel.column);
    values.insert(values.end(), of_run.begin(), of_run.end());
  }
  if (std::ranges::none_of(values, [](double value) { return std::isfinite(value); }))
    return svg +
           fmt::format("<text x=\"0\" y=\"{}\">no numbers in the log</text>\n</svg>\n", plot_height / 2);
  const Scale up = make_scale(values, 4);
  svg +=
      axes(across, up) + fmt::format("<rect class=\"area\" width=\"{}\" height=\"{}\" data-last=\"{}\"/>\n",
                                     plot_width, plot_height, across.most);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const LogTable& table = table_of(runs[i], panel);
    svg += fmt::format("<g class=\"{}\" data-run=\"{}\">{}</g>\n", curve_class(i), i,
                       curve(table, table.at(panel.column), across, up));
  }
  return svg + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">update</text>\n</svg>\n", plot_width,
                           plot_height + 32);
}

}  // namespace

std::string plots_style() {
  std::string light, dark, dashed;
  for (std::size_t i = 0; i < light_colours.size(); ++i) {
    light += fmt::format(".colour-{} {{ stroke: {}; }}\n", i, light_colours[i]);
    dark += fmt::format(".colour-{} {{ stroke: {}; }}\n", i, dark_colours[i]);
  }
  for (std::size_t i = 0; i < dashes.size(); ++i)
    dashed += fmt::format(".dash-{} {{ stroke-dasharray: {}; }}\n", i, dashes[i]);
  return fmt::format(
      ".plot text {{ font: 12px sans-serif; fill: #222222; }}\n"
      ".plot .title {{ font-weight: bold; }}\n"
      ".grid {{ stroke: #dddddd; }}\n"
      ".area {{ fill: none; }}\n"
      ".curve {{ fill: none; stroke-width: 1.6; stroke-linejoin: round; }}\n"
      "{}{}@media (prefers-color-scheme: dark) {{\n"
      ".plot text {{ fill: #e6e6e6; }}\n"
      ".grid {{ stroke: #3a3d44; }}\n"
      "{}}}\n",
      dashed, light, dark);
}

Json plots_json(std::span<const TrainingRun> runs) {
  const Scale across = step_scale(runs);
  Json json = Json::array();
  for (const Panel& panel : panels)
    json.push_back(
        {{"table", panel.table}, {"column", panel.column}, {"svg", plot_svg(panel, runs, across)}});
  return json;
}

std::string curves_svg(std::span<const TrainingRun> runs) {
  const Scale across = step_scale(runs);
  const double width = cell_width * static_cast<double>(plots_per_row) + margin;
  const auto [names, names_height] = legend(runs, width);
  const std::size_t rows = (panels.size() + plots_per_row - 1) / plots_per_row;
  const double height = names_height + cell_height * static_cast<double>(rows) + margin;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
      "{0} {1}\" "
      "role=\"img\">\n<title>Learning curves</title>\n<style>\n{2}.ground {{ fill: #ffffff; }}\n"
      "@media (prefers-color-scheme: dark) {{ .ground {{ fill: #16181c; }} }}\n</style>\n"
      "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n{3}",
      width, height, plots_style(), names);
  for (std::size_t i = 0; i < panels.size(); ++i)
    svg += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n",
                       cell_width * static_cast<double>(i % plots_per_row),
                       names_height + cell_height * static_cast<double>(i / plots_per_row),
                       plot_svg(panels[i], runs, across));
  return svg + "</svg>\n";
}

}  // namespace regard::explore
