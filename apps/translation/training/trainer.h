#pragma once

#include <functional>
#include <memory>

#include "apps/translation/processes/processes.h"
#include "apps/translation/training/divergence.h"
#include "apps/translation/training/epoch.h"
#include "apps/translation/training/freeze.h"
#include "apps/translation/training/kept_weights.h"
#include "apps/translation/training/progress.h"
#include "apps/translation/training/training_clock.h"
#include "apps/translation/training/training_data.h"
#include "apps/translation/training/training_observer.h"
#include "apps/translation/training/training_state.h"
#include "nn/optimisers.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// Trains a model. It keeps the best weights and the state of the training in a model directory, so that no
/// work is lost.
class Trainer {
 public:
  /// The arguments must outlive the trainer. With several processes, each has a trainer with the same
  /// settings and data, and calls the same functions. Only the first one reads and writes the directory.
  Trainer(const Settings& settings, const TrainingData& data, const ModelDirectory& directory,
          Processes& processes = one_process());

  /// Loads the initial weights that the settings name, if they name some. Throws Error if the file cannot be
  /// read, does not fit the model, or is damaged. The message names the file.
  void take_initial_weights();
  /// Prepares the directory for a new training: the state of step 0, configuration, vocabularies. Removes the
  /// results of an earlier training.
  void begin();
  /// Resumes from the newest state in the directory. The training ends with the same bits as without the
  /// interruption. Throws Error for another corpus, and if no state can be read.
  void resume();

  enum class End { finished, stopped };
  /// Trains until a limit or the patience ends the training, or until `stop_wanted` returns true. It calls
  /// `stop_wanted` after each step and each validation. Then it saves the state. With a validation corpus it
  /// keeps the best weights, without one the last weights. Throws Error if the loss is not finite; the
  /// message names the step and the existing weights.
  End run(
      TrainingObserver& observer, const std::function<bool()>& stop_wanted = [] { return false; });

  Index parameter_count() { return model_.parameter_count(); }
  std::vector<ParameterGroup> parameter_groups() { return translation::parameter_groups(model_); }
  const Progress& progress() const { return progress_; }
  /// True if no step is left to do.
  bool finished() const;

 private:
  StepReport train_step(const Update& update);
  void validate(TrainingObserver& observer);
  End finish(TrainingObserver& observer, const std::function<bool()>& stop_wanted);

  double learning_rate(Index step) const;
  bool limit_reached() const;
  bool validation_due(bool epoch_ended) const;
  Validation validation_of_model();
  void check_weights();
  void try_average(TrainingObserver& observer);
  void report(TrainingObserver& observer, Validation validation, bool best, Index averaged = 0);
  void save();
  void write_state();
  void read_state();
  void warn_of_long_warmup() const;
  [[noreturn]] void fail_not_finite(const char* what) const;
  TrainingParts parts();

  const Settings& settings_;
  const Settings in_effect_;  ///< for config.json and the states
  const TrainingData& data_;
  const ModelDirectory& directory_;
  Processes& processes_;
  Checksums checksums_;
  transformer::EncoderDecoder model_;
  std::unique_ptr<nn::Optimiser> optimiser_;
  std::unique_ptr<nn::MovingAverage> average_;  ///< null if the settings want none
  Progress progress_;
  KeptWeights kept_;
  DivergenceWarning divergence_;
  TrainingClock clock_;
  Index planned_steps_ = 0, steps_in_epoch_ = 0;
};

}  // namespace regard::translation
