#pragma once

#include <span>
#include <string>

#include "apps/explore/runs.h"

namespace regard::explore {

/// Draws the logs of trainings as an SVG image: one small plot each for training loss, validation loss, BLEU,
/// learning rate, gradient norm and tokens/s, with a curve per run. The numbers of a mean of checkpoints are
/// diamonds beside the curve. Colours suit a light and a dark page and colour-blind readers.
std::string curves_svg(std::span<const TrainingRun> runs);

}  // namespace regard::explore
