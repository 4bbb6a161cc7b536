#pragma once

#include "apps/experiments/experiment.h"

// A function for each experiment of the book.

namespace regard::experiments {

Experiment reversed_source();            // A4
Experiment alignment();                  // B1
Experiment weights_as_explanation();     // B2
Experiment low_attention();              // B3
Experiment hard_attention();             // B4
Experiment heads_specialise();           // B5
Experiment most_heads_can_go();          // B6
Experiment beam_width();                 // G1
Experiment list_of_partial_sentences();  // G3
Experiment context_by_layer();           // H3
Experiment captions();                   // H4

}  // namespace regard::experiments
