#pragma once

#include <string>
#include <vector>

#include "apps/translation/model/model_directory.h"
#include "apps/translation/training/checkpoints.h"
#include "apps/translation/training/progress.h"
#include "nn/safetensors.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// Decides which weights of a training are kept in its directory, and writes them there: the best weights
/// (weights.safetensors), the checkpoints, and the states from which the training can be resumed. It keeps
/// its records in the training's progress.
class KeptWeights {
 public:
  /// If `writes` is false, another process writes the files, and this object only keeps the records.
  KeptWeights(const Settings& settings, const ModelDirectory& directory, nn::Metadata identity,
              transformer::EncoderDecoder& model, Progress& progress, bool writes);

  /// Writes the model's weights as the best ones.
  void save() {
    if (writes_) directory_.save_weights(model_, identity_);
  }
  /// Writes them only if the score is better than the best score so far. Returns true if it is.
  bool save_if_best(double score);
  /// Counts the validations since the last better score of a single step. (The mean of checkpoints may have
  /// the best score of all, but patience compares single steps.)
  void count_patience(double score);
  /// Returns the number of further validations without a better score that stop the training, or -1 without a
  /// limit.
  Index patience_left() const;
  /// Keeps the model's weights as a checkpoint of this step if the settings want it among the last or best.
  void keep_checkpoint(double score);
  /// Returns the files of the checkpoints that are averaged at the end (checkpoints.average). Returns none if
  /// the settings want no mean or there are fewer than two checkpoints.
  std::vector<std::string> files_to_average() const;

  /// Returns a sentence for error messages that names the existing weights of this training and their file.
  std::string location() const;

  /// Call this when a training is resumed. Warns if the settings want fewer checkpoints than there are.
  void resume();
  /// Call this after a state was written: removes checkpoints that neither this state nor the one before it
  /// names, and states older than those two.
  void remove_old();

 private:
  const Settings& settings_;
  const ModelDirectory& directory_;
  nn::Metadata identity_;  ///< written into the files of weights
  transformer::EncoderDecoder& model_;
  Progress& progress_;
  bool writes_;
  std::vector<Checkpoint> kept_in_last_state_;
};

}  // namespace regard::translation
