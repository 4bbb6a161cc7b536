#pragma once

#include <string>
#include <vector>

#include "apps/translation/model/model_directory.h"
#include "apps/translation/training/progress.h"
#include "apps/translation/training/training_data.h"
#include "nn/moving_average.h"
#include "nn/optimisers.h"

namespace regard::translation {

/// The parts of a running training that its state consists of.
struct TrainingParts {
  nn::Module& model;
  nn::Optimiser& optimiser;
  nn::MovingAverage* average;  ///< null if there is none
  const Checksums& checksums;  ///< of the data
};

/// Writes state/STEP.safetensors, whole or not at all.
void save_state(const ModelDirectory& directory, const TrainingParts& parts, const Progress& progress);

/// Removes all states but the two newest. Two: should the newest be damaged, the one before is there.
void remove_old_states(const ModelDirectory& directory);

/// Puts the parts back as they were in the newest state that is whole, with a warning on standard error for
/// each that is not. Throws Error if none is, if one is closed to us, or if the data were others.
Progress load_state(const ModelDirectory& directory, const TrainingParts& parts);

/// Where weights that a state names have gone from the directory or are damaged: forgets them, with a warning
/// on standard error for each. Without the best weights, a training that was finished has to end once more.
/// Throws Error for weights that are merely closed to us.
void pass_over_lost_weights(const ModelDirectory& directory, Progress& progress);

}  // namespace regard::translation
