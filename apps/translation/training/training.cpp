#include "apps/translation/training/training.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/processes/agreement.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/training/initial_weights.h"
#include "apps/translation/training/trainer.h"
#include "autograd/error.h"
#include "autograd/parallel.h"

namespace regard::translation {

namespace {

/// Settings that a program made have not been read from JSON, which checks their ranges.
Settings checked(const Settings& settings, Processes& processes) {
  parse_settings(to_json(settings), "the settings");
  check(settings);
  check_shards(processes, settings.training.shards);
  check_same_program(processes, settings.training.unequal_kernels);
  check_same_settings(processes, settings);
  if (settings.training.threads) set_threads(static_cast<int>(*settings.training.threads));
  return settings;
}

/// Returns the directory, locked if it exists and this process writes into it.
ModelDirectory lock_existing(const std::string& path, bool writes) {
  ModelDirectory directory(path);
  std::error_code ignored;
  if (writes && std::filesystem::is_directory(path, ignored)) directory.lock();
  return directory;
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

/// Returns the files that a new training with these settings reads.
std::vector<std::string> inputs(const Settings& settings, const TrainingOptions& options) {
  const DataSettings& data = settings.data;
  std::vector<std::string> files = options.inputs;
  for (const Paths* paths : {&data.source, &data.target, &data.tsv, &data.validation_source,
                             &data.validation_target, &data.validation_tsv})
    files.insert(files.end(), paths->files.begin(), paths->files.end());
  files.insert(files.end(), {data.subwords.model, initial_weights_file(settings)});
  if (const std::string model = initial_model(settings); !model.empty())
    for (std::string& file : ModelDirectory(model).files_to_translate()) files.push_back(std::move(file));
  return files;
}

/// Reading a corpus and learning subwords can take minutes, so the files to write and to read are checked
/// first.
void check_files(const Settings& settings, const ModelDirectory& directory, bool resuming,
                 const TrainingOptions& options) {
  if (resuming) check_resumable(directory.load_config(), settings, directory.path());
  for (const char* folder : {"", "/state"}) check_directory(directory.path() + folder);
  if (resuming) return;
  directory.check_replaceable(inputs(settings, options));
  check_initial_weights(settings);
}

}  // namespace

struct Training::Parts {
  Parts(const Settings& given, const std::string& path, const TrainingOptions& options)
      : processes(options.processes != nullptr ? *options.processes : one_process()),
        settings(checked(given, processes)),
        directory(lock_existing(path, processes.first())),
        resumed(any(processes, processes.first() && resumes(directory, options.overwrite))),
        data(load_data(options)),
        trainer(settings, data, directory, processes) {
    if (processes.first()) {
      if (!resumed) trainer.take_initial_weights();  // may fail, so before the first file is written
      if (!directory.locked()) make_and_lock(options);
    }
    if (resumed)
      trainer.resume();
    else
      trainer.begin();
  }

  TrainingData load_data(const TrainingOptions& options) const {
    if (processes.first()) check_files(settings, directory, resumed, options);
    TrainingData result =
        load_training_data(settings, resumed ? directory.path() : "", options.before_learning, processes);
    if (processes.alone()) return result;
    std::vector<Fact> facts;
    for (const auto& [part, checksum] : result.checksums()) facts.push_back({part, "checksum " + checksum});
    check_agreement(processes, facts, "give all hosts the same files");
    return result;
  }

  /// Makes and locks the directory of a new training. Throws Error if another process began one there
  /// meanwhile.
  void make_and_lock(const TrainingOptions& options) {
    make_directories(directory.path());
    directory.lock();
    if (resumes(directory, options.overwrite))
      fail("another process has just begun a training in {}; repeat the command to resume that training",
           directory.path());
  }

  Processes& processes;
  const Settings settings;
  ModelDirectory directory;
  const bool resumed;
  const TrainingData data;
  Trainer trainer;
};

Training::Training(const Settings& settings, const std::string& directory, const TrainingOptions& options)
    : parts_(std::make_unique<Parts>(settings, directory, options)) {}
Training::~Training() = default;

bool Training::run(TrainingObserver& observer, const std::function<bool()>& stop_wanted) {
  try {
    return parts_->trainer.run(observer, stop_wanted) == Trainer::End::finished;
  } catch (const Error&) {
    parts_->directory.check_in_place();  // the cause, if the directory was removed
    throw;
  }
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
