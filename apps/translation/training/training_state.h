#pragma once

#include <string>
#include <vector>

#include "apps/translation/model/model_directory.h"
#include "apps/translation/processes/processes.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/progress.h"
#include "apps/translation/training/training_data.h"
#include "nn/optimisers.h"

namespace regard::translation {

/// The parts of a running training that its state contains.
struct TrainingParts {
  nn::Module& model;
  nn::Optimiser& optimiser;
  nn::MovingAverage* average;  ///< null if there is none
  const Checksums& checksums;  ///< checksums of the data
  const Settings& settings;    ///< those of config.json: a state of a training with others is refused
};

/// Writes state/STEP.safetensors completely or not at all.
void save_state(const ModelDirectory& directory, const TrainingParts& parts, const Progress& progress);

/// Restores the parts from the newest complete state. Writes a warning on standard error for each newer state
/// that is damaged, and if other kernels computed the state. Throws Error if no state is complete, if a state
/// cannot be opened, if it belongs to a training with other settings or another seed, or if the data have
/// changed.
Progress load_state(const ModelDirectory& directory, const TrainingParts& parts);

/// Gives every process the parts and the progress of the first one.
void share_state(Processes& processes, const TrainingParts& parts, Progress& progress);

/// Removes weights from the progress if their file is missing or damaged, with a warning on standard error
/// for each. If the best weights are missing, a finished training is not finished any more and has to end
/// again. Throws Error if a file exists but cannot be opened.
void forget_missing_weights(const ModelDirectory& directory, Progress& progress);

}  // namespace regard::translation
