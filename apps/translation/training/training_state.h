#pragma once

#include <vector>

#include "apps/translation/training/training.h"
#include "nn/module.h"

namespace regard::translation {

/// Returns all tensors of a state, with the prefixes "model.", "optimiser." and "average." in their names.
std::vector<nn::NamedParameter> tensors_of(const Training& training);

/// Writes state/STEP.safetensors completely or not at all.
void save_state(const Training& training);

/// Restores the parts from the newest complete state. Writes a warning on standard error for each newer state
/// that is damaged, and if other kernels computed the state. Throws Error if no state is complete, if a state
/// cannot be opened, if it belongs to a training with other settings or another seed, or if the data have
/// changed.
void load_state(Training& training);

/// Removes weights from the progress if their file is missing or damaged, with a warning on standard error
/// for each. If the best weights are missing, a finished training is not finished any more and has to end
/// again. Throws Error if a file exists but cannot be opened.
void forget_missing_weights(const ModelDirectory& directory, Progress& progress);

}  // namespace regard::translation
