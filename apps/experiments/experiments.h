#pragma once

#include "apps/experiments/experiment.h"

// A function for each experiment of the book.

namespace regard::experiments {

Experiment reversed_source();  // A4

}  // namespace regard::experiments
