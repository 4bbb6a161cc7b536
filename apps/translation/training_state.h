#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/translation/model_directory.h"
#include "apps/translation/progress.h"
#include "nn/moving_average.h"
#include "nn/optimisers.h"

namespace regard::translation {

/// The parts of a running training that its state consists of.
struct TrainingParts {
  transformer::Transformer& model;
  nn::Optimiser& optimiser;
  nn::MovingAverage* average;  ///< null if there is none
  std::string corpus;          ///< stands for the training corpus: another one, another text
};

/// Writes state/STEP.safetensors, whole or not at all.
void save_state(const ModelDirectory& directory, const TrainingParts& parts, const Progress& progress);

/// Removes all states but the two newest. Two: should the newest be damaged, the one before is there.
void remove_old_states(const ModelDirectory& directory);

/// Puts the parts back as they were in the newest state that can be read, with a warning on standard error
/// for each that cannot. Throws Error if there are states but none can be read, or if it was another corpus.
Progress load_state(const ModelDirectory& directory, const TrainingParts& parts);

/// Where weights that a state names were removed from the directory: forgets them, with a warning on standard
/// error for each. Without the best weights, a training that was finished has to end once more.
void pass_over_missing_files(const ModelDirectory& directory, Progress& progress);

}  // namespace regard::translation
