#pragma once

#include <span>
#include <string>

#include "apps/explore/runs.h"

namespace regard::explore {

// The logs of trainings as small plots: training loss, validation loss, BLEU, learning rate, gradient norm
// and tokens/s, with a curve per run. The numbers of a mean of checkpoints are diamonds beside the curve.

/// Returns all plots as one SVG image.
std::string curves_svg(std::span<const TrainingRun> runs);

/// Returns [{"table", "column", "svg"}, ...]: the plots one by one (pictures::plot_svg) for a page that has
/// pictures::plots_style().
Json plots_json(std::span<const TrainingRun> runs);

}  // namespace regard::explore
