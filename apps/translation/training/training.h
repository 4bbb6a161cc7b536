#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/translation/model/make_model.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/progress.h"
#include "apps/translation/training/training_observer.h"
#include "autograd/real.h"
#include "nn/optimisers.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

class Epoch;
class ModelDirectory;
class Processes;
class Store;
class Update;
struct ParameterGroup;
struct TrainingData;

struct TrainingOptions {
  /// Begin a new training and replace the files of the model directory. Otherwise the training that is there
  /// is resumed.
  bool overwrite = false;
  /// Files that the caller has read, such as a configuration. Like the files that the settings name, a new
  /// training refuses to replace them.
  std::vector<std::string> inputs = {};
  /// Called with the number of subwords before they are learnt, which takes a while.
  std::function<void(Index subwords)> before_learning = {};
  /// The processes that share the work; null: this process alone. Each makes a Training with the same
  /// settings and calls the same functions. Only the first one reads and writes the directory.
  Processes* processes = nullptr;
  /// Makes the model, if it is the program's own (model.own); empty: regard's.
  MakeModel make_model = {};
  /// The corpora and vocabularies; null: they are read from the files that the settings name.
  std::shared_ptr<const TrainingData> data = nullptr;
};

/// The training of the model in a directory, as `regard train` does it.
class Training {
 public:
  /// Checks the settings, locks the directory against other processes, reads the corpora, makes the model,
  /// and then resumes the training in the directory or writes the first files of a new one. A resumed
  /// training ends with the same bits as without the interruption. Sets the number of threads if the settings
  /// have one. Throws Error for settings that are wrong or do not fit the training that is there, for files
  /// that cannot be read or written, and if a new training would replace other files.
  Training(const Settings& settings, const std::string& directory, const TrainingOptions& options = {});
  ~Training();

  /// Trains until a limit or the patience ends the training, and then returns true. `stop_wanted` is asked
  /// after each step and validation; if it returns true, the state is saved and run returns false. The
  /// directory has the best weights on the validation corpus, or the last weights without one. Throws Error
  /// if the loss is not finite; the message names the step and the existing weights.
  bool run(
      TrainingObserver& observer, const std::function<bool()>& stop_wanted = [] { return false; });
  /// The same without an observer.
  bool run();

  bool resumed() const { return resumed_; }  ///< the directory had a training, which goes on
  bool finished() const;                     ///< no step is left to do
  Index parameter_count() const;
  std::vector<ParameterGroup> parameter_groups() const;  ///< which parameters are frozen (fine_tuning.h)
  const TrainingData& data() const { return *data_; }
  const Progress& progress() const { return progress_; }
  const ModelDirectory& directory() const;

 private:
  struct Updated;

  bool train(TrainingObserver& observer, const std::function<bool()>& stop_wanted);
  Updated step(const Update& update);
  void validate(TrainingObserver& observer);
  bool finish(TrainingObserver& observer, const std::function<bool()>& stop_wanted);
  void try_average(TrainingObserver& observer);

  void plan(const Epoch& epoch);
  double learning_rate(Index step) const;
  bool limit_reached() const;
  bool validation_due() const;
  void report(TrainingObserver& observer, const Updated& updated);
  double measure(TrainingObserver& observer, Index averaged = 0);
  Validation validation() const;
  void check_weights() const;
  void count_seconds();
  void warn_of_divergence(const char* what, double loss);
  [[noreturn]] void fail_not_finite(const char* what) const;

  Processes& processes_;
  const Settings settings_;
  bool resumed_;
  std::shared_ptr<const TrainingData> data_;
  std::unique_ptr<transformer::EncoderDecoder> model_;
  std::unique_ptr<nn::Optimiser> optimiser_;
  std::unique_ptr<nn::MovingAverage> average_;  ///< null if the settings want none
  Progress progress_;
  std::unique_ptr<Store> store_;

  Index planned_steps_ = 0, steps_in_epoch_ = 0;
  Index steps_of_epochs_ = 0;  ///< steps until the limit on epochs, for the schedule cosine
  bool warned_of_divergence_ = false;
  std::chrono::steady_clock::time_point counted_;  ///< Progress::seconds contains the time until here
  /// The progress before this run of the program. The speed counts only this run, because earlier runs may
  /// have used another machine.
  Index first_step_ = 0;
  double first_seconds_ = 0;
};

}  // namespace regard::translation
