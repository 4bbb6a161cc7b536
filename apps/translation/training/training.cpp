#include "apps/translation/training/training.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/translation/files/directory_lock.h"
#include "apps/translation/files/files.h"
#include "apps/translation/settings/resumable.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/training/initial_weights.h"
#include "apps/translation/training/trainer.h"
#include "autograd/error.h"
#include "autograd/parallel.h"

namespace regard::translation {

namespace {

/// Settings that a program made have not been read from JSON, which checks their ranges.
Settings checked(const Settings& settings) {
  parse_settings(to_json(settings), "the settings");
  check(settings);
  if (settings.training.threads) set_threads(static_cast<int>(*settings.training.threads));
  return settings;
}

std::optional<DirectoryLock> lock_existing(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return std::nullopt;
  return std::optional<DirectoryLock>(std::in_place, path);
}

/// Returns true to resume the training in the directory, false to begin a new one. Throws Error if a new
/// training would replace other files in the directory.
bool resumes(const ModelDirectory& directory, bool overwrite) {
  const ModelDirectory::Content content = directory.content();
  if (overwrite || content == ModelDirectory::Content::nothing) return false;
  if (content == ModelDirectory::Content::model && !directory.states().empty())
    fail(
        "{0} has a training, but its file {1} is missing, so the training cannot be resumed; restore that "
        "file, give another directory, or give --overwrite to begin a new training",
        directory.path(), directory.config());
  if (content == ModelDirectory::Content::model)
    fail(
        "{} has files of a model, but no training that can be resumed; give another directory, or give "
        "--overwrite to replace the files",
        directory.path());
  return true;
}

/// Reading a corpus and learning subwords can take minutes, so the files to write and to read are checked
/// first.
void check_files(const Settings& settings, const ModelDirectory& directory, bool resuming) {
  if (resuming) check_resumable(directory.load_config(), settings, directory.path());
  for (const char* folder : {"", "/state"}) check_directory(directory.path() + folder);
  if (!resuming) check_initial_weights(settings);
}

}  // namespace

struct Training::Parts {
  Parts(const Settings& given, const std::string& path, const TrainingOptions& options)
      : settings(checked(given)),
        directory(path),
        lock(lock_existing(path)),
        resumed(resumes(directory, options.overwrite)),
        data(load_data(options)),
        trainer(settings, data, directory) {
    if (!resumed) trainer.take_initial_weights();  // may fail, so before the first file is written
    if (!lock) make_and_lock(options);
    if (resumed)
      trainer.resume();
    else
      trainer.begin();
  }

  TrainingData load_data(const TrainingOptions& options) const {
    check_files(settings, directory, resumed);
    return load_training_data(settings, resumed ? directory.path() : "", options.before_learning);
  }

  /// Makes and locks the directory of a new training. Throws Error if another process began one there
  /// meanwhile.
  void make_and_lock(const TrainingOptions& options) {
    make_directories(directory.path());
    lock.emplace(directory.path());
    if (resumes(directory, options.overwrite))
      fail("another process has just begun a training in {}; repeat the command to resume that training",
           directory.path());
  }

  const Settings settings;
  const ModelDirectory directory;
  std::optional<DirectoryLock> lock;
  const bool resumed;
  const TrainingData data;
  Trainer trainer;
};

Training::Training(const Settings& settings, const std::string& directory, const TrainingOptions& options)
    : parts_(std::make_unique<Parts>(settings, directory, options)) {}
Training::~Training() = default;

bool Training::run(TrainingObserver& observer, const std::function<bool()>& stop_wanted) {
  return parts_->trainer.run(observer, stop_wanted) == Trainer::End::finished;
}

bool Training::run() {
  TrainingObserver nobody;
  return run(nobody);
}

bool Training::resumed() const { return parts_->resumed; }
bool Training::finished() const { return parts_->trainer.finished(); }
Index Training::parameter_count() const { return parts_->trainer.parameter_count(); }
std::vector<ParameterGroup> Training::parameter_groups() const { return parts_->trainer.parameter_groups(); }
const TrainingData& Training::data() const { return parts_->data; }
const Progress& Training::progress() const { return parts_->trainer.progress(); }
const ModelDirectory& Training::directory() const { return parts_->directory; }

}  // namespace regard::translation
