#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/explore/runs.h"

namespace regard::explore {

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

// The logs of trainings as small plots: training loss, validation loss, BLEU, learning rate, gradient norm
// and tokens/s, with a curve per run. The numbers of a mean of checkpoints are diamonds beside the curve.
// Colours suit a light and a dark page and colour-blind readers.

/// Returns all plots as one SVG image.
std::string curves_svg(std::span<const TrainingRun> runs);

/// Returns [{"table", "column", "svg"}, ...]: the plots one by one for a page that has this style. In each
/// SVG, the element .area is the plot, and its data-last is the step at its right end; [data-run="i"] is the
/// curve of run i.
Json plots_json(std::span<const TrainingRun> runs);
std::string plots_style();

}  // namespace regard::explore
