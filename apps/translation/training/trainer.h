#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/training/progress.h"
#include "apps/translation/training/training_data.h"
#include "apps/translation/training/training_state.h"
#include "apps/translation/training/validation.h"
#include "autograd/index.h"
#include "nn/safetensors.h"

namespace regard::translation {

/// One update of the weights.
struct StepReport {
  Index step, epoch;
  Index planned_steps;  ///< as far as it can be known; 0 if it cannot
  double learning_rate;
  double gradient_norm;  ///< before clipping
  double total_seconds;  ///< of the training so far, with its validations
  double step_seconds;   ///< of one step, with its share of validations, since the training last went on
  Window window;         ///< this step and those since the last line of the log
  bool line_due;         ///< it is time for the next line
};

struct ValidationReport {
  Index step, epoch;
  Validation validation = {};
  double total_seconds = 0;  ///< of the training so far
  bool best = false;         ///< better than all before: its weights were saved
  Index averaged = 0;        ///< the mean of so many kept checkpoints; 0: the weights of this step
  Index patience_left = -1;  ///< validations without a new best until the training stops; -1: it does not
};

/// Hears what happens; shows it, logs it.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void on_step(const StepReport& report) = 0;
  virtual void on_validation(const ValidationReport& report) = 0;
};

/// Trains a model; keeps its best weights and, so that no work is ever lost, its state in a model directory.
class Trainer {
 public:
  Trainer(const Settings& settings, const TrainingData& data, const ModelDirectory& directory);

  /// For a new training: begins with the weights that the settings name, if they name some. Throws Error
  /// naming the file that cannot be read, does not fit the model, or is damaged.
  void take_initial_weights();
  /// Readies the directory for a new training: the state of step 0, configuration, vocabularies. Results of
  /// an earlier one are removed.
  void begin();
  /// Goes on where the newest state in the directory stands, to the same bits as if there had been no
  /// interruption. Throws Error for another corpus, or states of which none can be read.
  void resume();

  enum class End { finished, stopped };
  /// Until a limit, the patience, or `stop_wanted`, which is asked after each step and validation, ends it;
  /// then the state is saved. With a validation corpus, the best weights are kept, otherwise the last. Throws
  /// Error if the loss is no longer a number, saying at which step and which weights there are.
  End run(
      TrainingObserver& observer, const std::function<bool()>& stop_wanted = [] { return false; });

  Index parameter_count() { return model_.parameter_count(); }
  const Progress& progress() const { return progress_; }
  /// Whether nothing is left to do.
  bool finished() const;

 private:
  void warn_of_fewer_checkpoints() const;
  void warn_of_long_warmup() const;
  double rate_of(Index step) const;
  double accumulate_gradients(std::span<const transformer::Batch> micro_batches);
  StepReport train_step(std::span<const transformer::Batch> micro_batches);
  bool validation_due(bool epoch_ended) const;
  void validate(TrainingObserver& observer);
  End finish(TrainingObserver& observer, const std::function<bool()>& stop_wanted);
  void check_weights();
  Validation validation_of_model();
  void count_patience(double score);
  void keep_checkpoint(double score);
  void take_average(TrainingObserver& observer);
  bool take_if_best(double score);
  void count_time();
  void save();
  [[noreturn]] void fail_astray(const char* what) const;
  Index epoch_of_step() const;
  TrainingParts parts();
  Settings settings_in_effect() const;

  const Settings& settings_;
  const TrainingData& data_;
  const ModelDirectory& directory_;
  Checksums checksums_;
  nn::Metadata identity_;  ///< goes with the weights into their files
  transformer::EncoderDecoder model_;
  std::unique_ptr<nn::Optimiser> optimiser_;
  std::unique_ptr<nn::MovingAverage> average_;  ///< null if none is wanted
  Progress progress_;
  std::vector<Checkpoint> kept_before_;  ///< as the state before the newest has it
  Index planned_steps_ = 0, steps_in_epoch_ = 0;
  std::chrono::steady_clock::time_point time_counted_;  ///< up to here it is in the progress
  Index run_from_step_ = 0;                             ///< where it last went on, perhaps on another machine
  double run_from_seconds_ = 0;
};

}  // namespace regard::translation
