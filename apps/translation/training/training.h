#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/translation/model/make_model.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/processes/processes.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/progress.h"
#include "apps/translation/training/training_data.h"
#include "apps/translation/training/training_observer.h"
#include "autograd/machine/error.h"
#include "nn/optimisers.h"
#include "transformer/encoder_decoder.h"

// A training: preparing it, running it and resuming it. A program needs prepare_training and run_training.

namespace regard::translation {

/// A function that makes an optimiser for these parameters.
using MakeOptimiser =
    std::function<std::unique_ptr<nn::Optimiser>(const std::vector<nn::NamedParameter>& parameters)>;

struct TrainingOptions {
  /// Begin a new training and replace the files of the model directory. Otherwise the training that is there
  /// is resumed.
  bool overwrite = false;
  /// Files that the caller has read, such as a configuration. Like the files that the settings name, a new
  /// training refuses to replace them.
  std::vector<std::string> inputs = {};
  DataProgress data_progress = {};
  /// Calls its argument, which writes the first files, and may put off signals meanwhile; empty: it is
  /// called.
  std::function<void(const std::function<void()>& writer)> writes = {};
  /// The processes that share the work; null: this process alone. Each prepares and runs
  /// a training with the same settings. Only the first one reads and writes the directory.
  Processes* processes = nullptr;
  /// Makes the model, if it is the program's own (model.own); empty: regard's.
  MakeModel make_model = {};
  /// Makes the optimiser for the parameters that are not frozen; empty: the one of training.optimiser.
  MakeOptimiser make_optimiser = {};
  /// The corpora and vocabularies; null: they are read from the files that the settings name.
  std::shared_ptr<const TrainingData> data = nullptr;
};

/// The training of a model in a directory: its parts. A resumed training ends with the same bits as without
/// the interruption.
struct Training {
  Processes& processes;
  Settings settings;         ///< as in config.json
  ModelDirectory directory;  ///< locked by the first process
  bool resumed = false;      ///< the directory had a training, which goes on
  std::shared_ptr<const TrainingData> data = {};
  Checksums checksums = {};  ///< of the data
  std::unique_ptr<transformer::EncoderDecoder> model = {};
  std::vector<nn::Dropout*> dropouts = {};  ///< of the model
  std::unique_ptr<nn::Optimiser> optimiser = {};
  std::unique_ptr<nn::MovingAverage> average = {};  ///< null if the settings want none
  Progress progress = {};
  std::vector<Checkpoint> kept_in_last_state = {};  ///< checkpoints that the newest state names
};

/// Prepares the training of a model in a directory. Checks the settings, locks the directory against other
/// processes, reads the corpora, makes the model and the optimiser, and then reads the state of the training
/// that is resumed or writes the first files of a new one. Sets the number of threads if the settings have
/// one. Throws Error for settings that are wrong or do not fit the training that is there, for files that
/// cannot be read or written, and if a new training would replace other files.
Training prepare_training(const Settings& settings, const std::string& directory,
                          const TrainingOptions& options = {});

/// The training diverged: its loss, its gradient or a weight is not finite.
class Diverged : public Error {
 public:
  using Error::Error;
};

/// Trains until a limit or the patience ends the training, and then returns true. `stop_wanted` is asked
/// after each step and validation; if it returns true, the state is saved and the result is false. The
/// directory has the best weights on the validation corpus, or the last weights without one. Throws Diverged
/// if the loss is not finite; the message names the step and the existing weights.
bool run_training(
    Training& training, TrainingObserver& observer,
    const std::function<bool()>& stop_wanted = [] { return false; });
/// The same without an observer.
bool run_training(Training& training);

/// True if no step is left to do.
bool finished(const Training& training);

}  // namespace regard::translation
