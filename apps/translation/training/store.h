#pragma once

#include <string>
#include <vector>

#include "apps/translation/model/model_directory.h"
#include "apps/translation/processes/processes.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/training_data.h"
#include "apps/translation/training/training_state.h"
#include "nn/module.h"
#include "nn/safetensors.h"

namespace regard::translation {

struct TrainingOptions;

/// The model directory of a training that is about to begin or to be resumed.
struct OpenDirectory {
  ModelDirectory directory;  ///< locked if it exists
  bool resumed;              ///< it has a training, which goes on
};

/// Locks the directory of a training, and checks all files that the training will read or write, because
/// reading a corpus and learning subwords can take minutes. All processes call it; only the first one looks
/// at the files. Throws Error if another process trains there, if the training there cannot be resumed with
/// these settings, or if a new one would replace other files.
OpenDirectory open_directory(const std::string& path, const Settings& settings,
                             const TrainingOptions& options, Processes& processes);

/// Keeps a training in its directory, so that no work is lost: the best weights (weights.safetensors),
/// checkpoints, and the states from which the training can be resumed. It keeps its records in the training's
/// progress. All processes call the same functions. Only the first one reads and writes files, and the others
/// get what it has read.
class Store {
 public:
  /// The data and the parts must outlive the store.
  Store(OpenDirectory opened, const TrainingData& data, Processes& processes, const TrainingParts& parts);

  /// Prepares the directory for a new training: the state of step 0, configuration, vocabularies. Removes the
  /// results of an earlier training.
  void begin();
  /// Reads the newest state in the directory. Throws Error for another corpus, and if no state can be read.
  void resume();
  /// Writes the state of the training.
  void save();

  /// Writes the present weights as the best ones.
  void save_weights();
  /// Writes them only if the score is better than the best score so far. Returns true if it is.
  bool save_if_best(double score);
  /// Keeps the present weights as a checkpoint of this step if the settings want it among the last or best.
  void keep_checkpoint(double score);
  /// Writes the translations of the validation corpus, each in the line of its source. The lines of dropped
  /// pairs are empty.
  void save_validation(const std::vector<std::string>& translations);

  /// Returns the files of the checkpoints that are averaged at the end (checkpoints.average). Returns none if
  /// the settings want no mean or there are fewer than two checkpoints.
  std::vector<std::string> checkpoints_to_average() const;
  /// Copies their mean into these tensors.
  void load_average(const std::vector<std::string>& files, const std::vector<nn::NamedParameter>& mean);

  /// Returns a sentence for error messages that names the existing weights of this training and their file.
  std::string location() const;
  const ModelDirectory& directory() const { return directory_; }

 private:
  void read_state();
  void write_state();
  void remove_old();
  void share_state();

  ModelDirectory directory_;
  const TrainingData& data_;
  Processes& processes_;
  TrainingParts parts_;
  Progress& progress_;
  nn::Metadata identity_;  ///< and the trained sources: written into the files of weights
  std::vector<Checkpoint> kept_in_last_state_;
};

}  // namespace regard::translation
