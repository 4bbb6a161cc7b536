#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/training/training_observer.h"
#include "autograd/real.h"

namespace regard::translation {

class ModelDirectory;
class Processes;
struct ParameterGroup;
struct Progress;
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
  /// settings and calls the same functions.
  Processes* processes = nullptr;
};

/// The training of the model in a directory, as `regard train` does it.
class Training {
 public:
  /// Checks the settings, locks the directory against other processes, reads the corpora, makes the model,
  /// and then resumes the training in the directory or writes the first files of a new one. Sets the number
  /// of threads if the settings have one. Throws Error for settings that are wrong or do not fit the training
  /// that is there, for files that cannot be read or written, and if a new training would replace other
  /// files.
  Training(const Settings& settings, const std::string& directory, const TrainingOptions& options = {});
  ~Training();

  /// Trains until a limit or the patience ends the training, and then returns true. `stop_wanted` is asked
  /// after each step and validation; if it returns true, the state is saved and run returns false. The
  /// directory has the best weights on the validation corpus, or the last weights without one. Throws Error
  /// if the loss is not finite.
  bool run(
      TrainingObserver& observer, const std::function<bool()>& stop_wanted = [] { return false; });
  /// The same without an observer.
  bool run();

  bool resumed() const;   ///< the directory had a training, which goes on
  bool finished() const;  ///< no step is left to do
  Index parameter_count() const;
  std::vector<ParameterGroup> parameter_groups() const;  ///< which parameters are frozen (freeze.h)
  const TrainingData& data() const;
  const Progress& progress() const;
  const ModelDirectory& directory() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace regard::translation
