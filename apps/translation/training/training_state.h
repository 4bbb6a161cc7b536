#pragma once

#include <vector>

#include "apps/translation/model/model_directory.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/progress.h"
#include "apps/translation/training/training_data.h"
#include "nn/optimisers.h"

namespace regard::translation {

/// A running training: what its state contains, and what a state must agree with.
struct TrainingParts {
  nn::Module& model;
  nn::Optimiser& optimiser;
  nn::MovingAverage* average;  ///< null if there is none
  Progress& progress;
  Settings settings;    ///< those of config.json: a state of a training with others is refused
  Checksums checksums;  ///< of the data
};

/// Returns all tensors of a state, with the prefixes "model.", "optimiser." and "average." in their names.
std::vector<nn::NamedParameter> tensors_of(const TrainingParts& parts);

/// Writes state/STEP.safetensors completely or not at all.
void save_state(const ModelDirectory& directory, const TrainingParts& parts);

/// Restores the parts from the newest complete state. Writes a warning on standard error for each newer state
/// that is damaged, and if other kernels computed the state. Throws Error if no state is complete, if a state
/// cannot be opened, if it belongs to a training with other settings or another seed, or if the data have
/// changed.
void load_state(const ModelDirectory& directory, const TrainingParts& parts);

/// Removes weights from the progress if their file is missing or damaged, with a warning on standard error
/// for each. If the best weights are missing, a finished training is not finished any more and has to end
/// again. Throws Error if a file exists but cannot be opened.
void forget_missing_weights(const ModelDirectory& directory, Progress& progress);

}  // namespace regard::translation
