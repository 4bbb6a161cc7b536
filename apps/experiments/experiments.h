#pragma once

#include "apps/experiments/experiment.h"

// A function for each experiment of the book.

namespace regard::experiments {

Experiment long_sentences();   // A1
Experiment early_words();      // A2
Experiment both_directions();  // A3
Experiment reversed_source();  // A4
Experiment gradient_path();    // A5
Experiment limited_memory();   // A6

}  // namespace regard::experiments
