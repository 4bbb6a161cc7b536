#include "apps/explore/curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "apps/explore/ticks.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::explore {

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

/// One small plot.
struct Panel {
  const char* title;
  LogTable TrainingRun::*table;
  const char* column;
};
constexpr std::array panels{
    Panel{"training loss", &TrainingRun::points, "loss"},
    Panel{"validation loss", &TrainingRun::validations, "loss"},
    Panel{"BLEU of the validation", &TrainingRun::validations, "bleu"},
    Panel{"learning rate", &TrainingRun::points, "learning_rate"},
    Panel{"gradient norm", &TrainingRun::points, "gradient_norm"},
    Panel{"tokens/s", &TrainingRun::points, "tokens_per_second"},
};

const std::vector<double>& values_of(const LogTable& table, std::string_view name) {
  return std::ranges::find(table.columns, name, &Column::name)->values;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter_of_text : text) switch (letter_of_text) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += letter_of_text;
    }
  return result;
}

std::string style() {
  std::string light, dark;
  for (std::size_t i = 0; i < light_colours.size(); ++i) {
    light += fmt::format(".c{0} {{ stroke: {1}; color: {1}; }}\n", i, light_colours[i]);
    dark += fmt::format(".c{0} {{ stroke: {1}; color: {1}; }}\n", i, dark_colours[i]);
  }
  return fmt::format(
      "<style>\n"
      "text {{ font: 12px sans-serif; fill: #222222; }}\n"
      ".ground {{ fill: #ffffff; }}\n"
      ".title {{ font-weight: bold; }}\n"
      ".grid {{ stroke: #dddddd; }}\n"
      ".curve {{ fill: none; stroke-width: 1.6; stroke-linejoin: round; }}\n"
      "{}@media (prefers-color-scheme: dark) {{\n"
      "text {{ fill: #e6e6e6; }}\n"
      ".ground {{ fill: #16181c; }}\n"
      ".grid {{ stroke: #3a3d44; }}\n"
      "{}}}\n</style>\n",
      light, dark);
}

std::string colour_of(std::size_t run) {
  return fmt::format("class=\"curve c{}\" stroke-dasharray=\"{}\"", run % light_colours.size(),
                     dashes[run / light_colours.size() % dashes.size()]);
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
    svg += fmt::format("<path {} d=\"M{} {}h26\"/><text x=\"{}\" y=\"{}\">{}</text>\n", colour_of(i), x, y,
                       x + 34, y + 4, escaped(runs[i].name));
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
                  const Scale& up, const std::string& colour) {
  std::string line, diamonds;
  bool pen_down = false;
  std::size_t drawn = 0;
  double x = 0, y = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      pen_down = false;
      continue;
    }
    x = std::clamp(across.part(table.steps[i]), 0.0, 1.0) * plot_width;
    y = (1 - std::clamp(up.part(values[i]), 0.0, 1.0)) * plot_height;
    const bool mean = table.columns.back().name == "averaged" && table.columns.back().values[i] > 0;
    if (mean) {
      diamonds += fmt::format("<path {} d=\"M{:.1f} {:.1f}l4 4l-4 4l-4 -4z\"/>", colour, x, y - 4);
      continue;
    }
    line += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, y);
    pen_down = true;
    ++drawn;
  }
  // A line through one point would be invisible.
  if (drawn == 1) line += fmt::format("m-2 0h4");
  return (line.empty() ? "" : fmt::format("<path {} d=\"{}\"/>", colour, line)) + diamonds + "\n";
}

std::string plot(const Panel& panel, std::span<const TrainingRun> runs, const Scale& across) {
  std::vector<double> values;
  for (const TrainingRun& run : runs) {
    const std::vector<double>& of_run = values_of(run.*panel.table, panel.column);
    values.insert(values.end(), of_run.begin(), of_run.end());
  }
  std::string svg = fmt::format("<text class=\"title\" x=\"0\" y=\"-10\">{}</text>\n", panel.title);
  if (std::ranges::none_of(values, [](double value) { return std::isfinite(value); }))
    return svg + fmt::format("<text x=\"0\" y=\"{}\">no numbers in the log</text>\n", plot_height / 2);
  const Scale up = make_scale(values, 4);
  svg += axes(across, up);
  for (std::size_t i = 0; i < runs.size(); ++i)
    svg +=
        curve(runs[i].*panel.table, values_of(runs[i].*panel.table, panel.column), across, up, colour_of(i));
  return svg + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">update</text>\n", plot_width,
                           plot_height + 32);
}

}  // namespace

std::string curves_svg(std::span<const TrainingRun> runs) {
  std::vector<double> steps{0};
  for (const TrainingRun& run : runs)
    for (const LogTable* table : {&run.points, &run.validations})
      steps.insert(steps.end(), table->steps.begin(), table->steps.end());
  Scale across = make_scale(steps, 4);
  across.most = std::max(across.least + across.step / 2, *std::ranges::max_element(steps));  // no empty end
  const double width = cell_width * static_cast<double>(plots_per_row) + margin;
  const auto [names, names_height] = legend(runs, width);
  const std::size_t rows = (panels.size() + plots_per_row - 1) / plots_per_row;
  const double height = names_height + cell_height * static_cast<double>(rows) + margin;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n<title>Learning curves</title>\n{2}"
      "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n{3}",
      width, height, style(), names);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const auto column = static_cast<double>(i % plots_per_row), row = static_cast<double>(i / plots_per_row);
    svg += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", cell_width * column + left,
                       names_height + cell_height * row + top, plot(panels[i], runs, across));
  }
  return svg + "</svg>\n";
}

}  // namespace regard::explore
