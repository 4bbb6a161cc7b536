#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/pictures/heat_map.h"

// Small plots as SVG, with a curve per training or model. Colours suit a light and a dark page and
// colour-blind readers.

namespace regard::pictures {

/// A range of numbers, and the round numbers in it that an axis shows.
struct Scale {
  double least = 0, most = 1;  ///< least < most
  double step = 1;             ///< between two ticks: 1, 2 or 5 times a power of ten

  /// The multiples of `step` from `least` to `most`.
  std::vector<double> ticks() const;
  /// Returns 0 for `least` and 1 for `most`.
  double part(double value) const { return (value - least) / (most - least); }
};

/// Returns a scale that holds all finite `values` and is wider than zero, with at most `ticks` + 1 ticks and
/// ends at ticks. Without a finite value it is 0 to 1. Numbers beyond 1e100 count as 1e100.
Scale make_scale(const std::vector<double>& values, int ticks);

/// Returns a number as short as an axis needs it: "0.5", "20", "40k", "1.5M", "1e-05".
std::string tick_text(double value);

/// An axis. Several plots may share the horizontal one.
struct Axis {
  Scale scale;
  std::vector<std::pair<double, std::string>> marks;  ///< where and what text
  std::string label;
};

/// An axis with its ticks.
Axis axis_with_ticks(const Scale& scale, std::string label = {});

/// Points in their order. A y that is not finite interrupts the curve.
struct Curve {
  std::vector<double> x, y;
  std::vector<bool> beside = {};  ///< if not empty: true for a point that is a diamond beside the curve
  /// If not empty: around each y, drawn as a band. Infinity reaches the end of the plot.
  std::vector<double> least = {}, most = {};
  std::vector<std::pair<double, double>> marks = {};  ///< x and y of short lines beside the curve
};

struct Plot {
  std::string title;
  const Axis& across;
  std::vector<Curve> curves;
  const char* without_numbers;  ///< the text if no y is finite
  std::optional<Axis> up = {};  ///< the vertical axis; without it, one that holds all numbers
};

/// Returns a plot as an <svg>. In it, the element .area is the plot, and its data-last is the x at its right
/// end; [data-run="i"] is curve i.
std::string plot_svg(const Plot& plot);

/// A row of points, such as one for each seed, with their mean and an interval around it.
struct Row {
  std::string name;
  std::vector<double> points;
  double mean, least, most;        ///< least and most are not NaN; infinity reaches the end of the plot
  std::size_t colour = 0;          ///< that of this curve in a legend
  std::vector<double> marks = {};  ///< lines across the row
};

/// Returns a heat map as one of the plots of page_svg.
std::string heat_map_plot(const std::string& title, const Attention& attention);

/// Returns a plot of rows under their names, from the top down, as an <svg>.
std::string rows_svg(const std::string& title, const Axis& across, const std::vector<Row>& rows);

/// The height of the area of a plot with so many rows.
double rows_height(std::size_t rows);

/// The size of the area inside the axes of a plot, in pixels.
inline constexpr double plot_width = 250, plot_height = 150;

/// Returns an <svg> with the title and the size of a plot around other content, whose corner is at (0, 0).
std::string plot_frame(const std::string& title, const std::string& content, double height = plot_height);

/// Returns one image of several plots, whose areas have at most this height. Curve i of each plot has the
/// name i of the legend.
std::string page_svg(const char* title, std::span<const std::string> names,
                     const std::vector<std::string>& plots, double height = plot_height);

/// The style for a page that has plots.
std::string plots_style();

}  // namespace regard::pictures
