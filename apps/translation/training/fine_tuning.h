#pragma once

#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/vocabulary.h"
#include "autograd/machine/real.h"
#include "nn/module.h"

// How a training continues from a model: the weights that it begins with, and the parameters that it does not
// change.

namespace regard::translation {

/// Returns training.initial_weights if it is a model directory; otherwise an empty path. The rows of its
/// embeddings belong to its tokens, so a training that takes its weights also takes its vocabularies.
std::string initial_model(const TrainingSettings& settings);

/// Returns the file of the weights that a training begins with: training.initial_weights itself, or
/// weights.safetensors in that model directory. The path is empty if the training begins with random weights.
std::string initial_weights_file(const TrainingSettings& settings);

/// Checks the initial weights before a corpus is read. Throws Error if their file cannot be read, or if the
/// settings contradict their model. The model of a file is known if the file is in a model directory.
void check_initial_weights(const Settings& settings);

/// Copies the initial weights that the settings name into the model, if they name some. Throws Error if the
/// file cannot be read, does not fit the model, or is damaged. The message names the file.
void load_initial_weights(nn::Module& model, const Settings& settings, const Vocabularies& vocabularies);

/// Excludes parameters from the training: the parameters with one of these names, and the parameters of a
/// module with one of these names ("encoder" freezes every "encoder.…"). A matrix that several modules share
/// has several names, and each of them freezes it. Throws Error for a name that no parameter and no module
/// has.
void freeze(nn::Module& model, const std::vector<std::string>& names);

/// Neighbouring parameters that are all frozen or all trained.
struct ParameterGroup {
  std::string name;  ///< of the largest module that holds no other parameters; or of one parameter
  Index numbers = 0;
  bool frozen = false;
};

/// Divides all parameters into as few groups as possible. A shared matrix is a group alone, with all its
/// names.
std::vector<ParameterGroup> parameter_groups(nn::Module& model);

}  // namespace regard::translation
