#pragma once

#include <string>

#include "apps/experiments/experiment.h"

namespace regard::experiments {

/// All figures of an experiment side by side as one SVG image, with one legend of the variants. It suits
/// light and dark pages.
std::string figures_svg(const Experiment& experiment, const Results& results);

}  // namespace regard::experiments
