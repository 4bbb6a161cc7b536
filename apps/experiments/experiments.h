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

Experiment alignment();               // B1
Experiment weights_as_explanation();  // B2
Experiment low_attention();           // B3
Experiment hard_attention();          // B4
Experiment heads_specialise();        // B5
Experiment most_heads_can_go();       // B6

Experiment scale();              // C1
Experiment best_score();         // C2
Experiment linear_score();       // C3
Experiment windows();            // C4
Experiment normalisers();        // C5
Experiment keys_as_values();     // C6
Experiment order_and_feeding();  // C7

Experiment order_of_inputs();         // D1
Experiment without_positions();       // D2
Experiment which_positions();         // D3
Experiment longer_sentences();        // D4
Experiment sinusoids();               // D5
Experiment base_of_sinusoids();       // D6
Experiment concatenated_positions();  // D7

Experiment cost_of_layers();   // E1
Experiment parallel_layers();  // E2
Experiment cost_of_heads();    // E4

Experiment warm_up();          // F1
Experiment label_smoothing();  // F2
Experiment number_of_heads();  // F3
Experiment averaging();        // F4
Experiment teacher_forcing();  // F6

Experiment beam_width();                 // G1
Experiment exact_translations();         // G2
Experiment list_of_partial_sentences();  // G3

Experiment nested_brackets();   // H1
Experiment pronouns();          // H2
Experiment context_by_layer();  // H3
Experiment captions();          // H4

}  // namespace regard::experiments
