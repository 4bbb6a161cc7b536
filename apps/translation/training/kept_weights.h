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
/// (weights.safetensors), the checkpoints, and the states from which the training can go on. It keeps its
/// records in the training's progress.
class KeptWeights {
 public:
  KeptWeights(const Settings& settings, const ModelDirectory& directory, nn::Metadata identity,
              transformer::EncoderDecoder& model, Progress& progress);

  /// Writes the model's weights as the best ones.
  void save() { directory_.save_weights(model_, identity_); }
  /// Does so if the score is better than that of the best weights so far. Returns whether it is.
  bool save_if_best(double score);
  /// Counts the validations since the last better score of a single step. (The mean of checkpoints may be the
  /// best of all; patience compares single steps.)
  void count_patience(double score);
  /// Validations without a better score after which the training stops; -1 if it does not.
  Index patience_left() const;
  /// Keeps the model's weights as a checkpoint of this step if the settings want it among the last or best.
  void keep_checkpoint(double score);
  /// The files of the checkpoints whose mean is tried at the end (checkpoints.average); empty if no mean is
  /// wanted or there are fewer than two.
  std::vector<std::string> files_to_average() const;

  /// A sentence for error messages: which weights of this training exist, and in which file.
  std::string location() const;

  /// Call this when a training goes on. Warns if the settings want fewer checkpoints than there are.
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
  std::vector<Checkpoint> kept_in_last_state_;
};

}  // namespace regard::translation
