#pragma once

#include <string>
#include <vector>

#include "apps/translation/training/training.h"
#include "nn/module.h"

// How a training is kept in its directory, so that no work is lost: the best weights (weights.safetensors),
// checkpoints, and the states from which it can be resumed. The progress has the records. All processes call
// the same functions. Only the first one reads and writes files, and the others get what it has read.

namespace regard::translation {

/// Prepares the directory for a new training: the state of step 0, configuration, vocabularies. Removes the
/// results of an earlier training.
void begin(Training& training);
/// Reads the newest state in the directory. Throws Error for another corpus, and if no state can be read.
void resume(Training& training);
/// Writes the state of the training.
void save(Training& training);

/// Writes the present weights as the best ones.
void save_weights(const Training& training);
/// Writes them only if the score is better than the best score so far. Returns true if it is.
bool save_if_best(Training& training, double score);
/// Keeps the present weights as a checkpoint of this step if the settings want it among the last or best.
void keep_checkpoint(Training& training, double score);
/// Writes the translations of the validation corpus, each in the line of its source. The lines of dropped
/// pairs are empty.
void save_validation(const Training& training, const std::vector<std::string>& translations);

/// Returns the files of the checkpoints that are averaged at the end (checkpoints.average). Returns none if
/// the settings want no mean or there are fewer than two checkpoints.
std::vector<std::string> checkpoints_to_average(const Training& training);
/// Copies the mean of these files into these tensors.
void load_average(const Training& training, const std::vector<std::string>& files,
                  const std::vector<nn::NamedParameter>& mean);

/// Returns a sentence for error messages that names the existing weights of this training and their file.
std::string location_of_weights(const Training& training);

}  // namespace regard::translation
