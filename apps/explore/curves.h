#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/explore/runs.h"
#include "autograd/machine/real.h"

namespace regard::explore {

// The logs of trainings as small plots: training loss, validation loss, BLEU, learning rate, gradient norm
// and tokens/s, with a curve per run. The numbers of a mean of checkpoints are diamonds beside the curve.

/// Returns all plots as one SVG image.
std::string curves_svg(std::span<const TrainingRun> runs);

/// Returns [{"table", "column", "svg"}, ...]: the plots one by one (pictures::plot_svg) for a page that has
/// pictures::plots_style().
Json plots_json(std::span<const TrainingRun> runs);

/// The scores of a model in each range of lengths of the reference.
struct LengthScores {
  std::string name;
  std::vector<Index> bounds;              ///< the lengths at which a range begins, after the first range
  std::vector<double> bleu, exact_match;  ///< of each range, 0..100; NaN if it has no sentence that counts
};

/// Reads files that `regard evaluate --scores-json` wrote. A name is the last part of the path without
/// ".json", or the whole path if two are equal. Throws Error that names the file if it is something else, or
/// if its bounds differ from those of the first file.
std::vector<LengthScores> read_length_scores(const std::vector<std::string>& paths);

/// Returns an SVG image: BLEU and exact match by the length of the reference, with a curve per model. Ranges
/// at both ends that no model has are left out.
std::string length_curves_svg(std::span<const LengthScores> models);

}  // namespace regard::explore
