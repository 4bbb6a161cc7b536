#include "apps/translation/training/store.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/fine_tuning.h"
#include "apps/translation/training/training.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

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

}  // namespace

OpenDirectory open_directory(const std::string& path, const Settings& settings,
                             const TrainingOptions& options, Processes& processes) {
  OpenDirectory opened{.directory = ModelDirectory(path), .resumed = false};
  const ModelDirectory& directory = opened.directory;
  if (processes.first()) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) opened.directory.lock();
    opened.resumed = resumes(directory, options.overwrite);
    if (opened.resumed) check_resumable(directory.load_config(), settings, path);
    for (const char* folder : {"", "/state"}) check_directory(path + folder);
    if (!opened.resumed) {
      directory.check_replaceable(inputs(settings, options));
      check_initial_weights(settings);
    }
  }
  opened.resumed = any(processes, opened.resumed);
  return opened;
}

Store::Store(OpenDirectory opened, const TrainingData& data, Processes& processes, const TrainingParts& parts)
    : directory_(std::move(opened.directory)),
      data_(data),
      processes_(processes),
      parts_(parts),
      progress_(parts.progress),
      identity_(identity_of(parts.settings, data.vocabularies)) {
  data.sources.add_to(identity_);
}

void Store::begin() {
  if (processes_.first()) {
    if (!directory_.locked()) {
      make_directories(directory_.path());
      directory_.lock();
      if (directory_.content() != ModelDirectory::Content::nothing)
        fail("another process has just begun a training in {}; repeat the command to resume that training",
             directory_.path());
    }
    directory_.check_in_place();
    directory_.remove_temporary_files();
    save_state(directory_, parts_);
    directory_.create(parts_.settings, data_.vocabularies);
  }
  share_state();  // the initial weights, which only the first process may have
}

void Store::resume() {
  if (processes_.first()) read_state();
  share_state();
}

void Store::read_state() {
  load_state(directory_, parts_);
  forget_missing_weights(directory_, progress_);
  directory_.check_in_place();          // so these files were read from this directory
  directory_.remove_temporary_files();  // of a program that was killed
  directory_.save_vocabularies(parts_.settings, data_.vocabularies);
  // A finished training follows no new settings, so config.json must not have them.
  if (progress_.finished && reached_limit(parts_.settings, progress_) != nullptr) return;
  kept_in_last_state_ = progress_.kept;
  // The user may have set the number of checkpoints when the training began, and not set it now.
  const CheckpointSettings& settings = parts_.settings.checkpoints;
  const std::size_t now = progress_.kept.size();
  if (checkpoints_to_keep(progress_.kept, settings, parts_.settings.validation.metric).size() < now)
    warn(
        "{} has {} checkpoints, but checkpoints.keep_last is now {} and keep_best is {}; the other "
        "checkpoints will be removed",
        directory_.path(), now, settings.keep_last, settings.keep_best);
  directory_.save_config(parts_.settings);  // some settings may have changed
  directory_.remove_states_after(progress_.step);
  directory_.truncate_logs(progress_.metrics_bytes, progress_.log_bytes);
}

void Store::save() {
  if (processes_.first()) write_state();
  // Unequal kernels round the updates differently. This keeps the weights of the processes together.
  if (parts_.settings.training.unequal_kernels) share_state();
}

void Store::write_state() {
  const std::string metrics = directory_.open_path(directory_.metrics());
  const std::string log = directory_.open_path(directory_.log());
  // Save the logs first: after a power cut they must not be shorter than the state says.
  sync_file(metrics);
  sync_file(log);
  progress_.metrics_bytes = file_size(metrics);
  progress_.log_bytes = file_size(log);
  save_state(directory_, parts_);
  remove_old();
  directory_.check_in_place();
}

/// Removes states and checkpoints that are not needed any more. Keeps the checkpoints that only the state
/// before the newest names, so that the training can still be resumed from that state. At its end a training
/// saves the last step twice. Then both states name the same checkpoints, and no more of them stay than the
/// settings want.
void Store::remove_old() {
  constexpr std::size_t states = 2;  // if the newest is damaged, the training resumes from the other
  directory_.keep_states(states);
  std::vector<Index> named;
  for (const auto* list : {&progress_.kept, &kept_in_last_state_})
    for (const Checkpoint& checkpoint : *list) named.push_back(checkpoint.step);
  directory_.keep_checkpoints(named);
  kept_in_last_state_ = progress_.kept;
}

/// Gives every process the state of the first one.
void Store::share_state() {
  if (processes_.alone()) return;
  progress_ = parse_progress(of_first(processes_, to_text(progress_)), "the progress of the first process");
  for (const nn::NamedParameter& part : tensors_of(parts_)) processes_.broadcast(part.tensor.values());
  parts_.optimiser.set_steps(progress_.step);
}

void Store::save_weights() {
  if (processes_.first()) directory_.save_weights(parts_.model, identity_);
}

bool Store::save_if_best(double score) {
  if (progress_.best && !better(parts_.settings.validation.metric, score, progress_.best->score))
    return false;
  progress_.best = {.step = progress_.step, .score = score};
  save_weights();
  return true;
}

void Store::keep_checkpoint(double score) {
  std::vector<Checkpoint>& kept = progress_.kept;
  std::erase_if(kept, [&](const Checkpoint& other) { return other.step == progress_.step; });
  kept.push_back({.step = progress_.step, .score = score});
  kept = checkpoints_to_keep(kept, parts_.settings.checkpoints, parts_.settings.validation.metric);
  if (processes_.first() && std::ranges::count(kept, progress_.step, &Checkpoint::step) > 0)
    directory_.save_checkpoint(progress_.step, parts_.model, identity_);
}

void Store::save_validation(const std::vector<std::string>& translations) {
  if (!processes_.first()) return;
  const ParallelCorpus& corpus = *data_.validation;
  std::vector<std::string> lines(to_size(corpus.lines_read));
  for (std::size_t i = 0; i < translations.size(); ++i) lines[to_size(corpus.lines[i])] = translations[i];
  directory_.save_validation(progress_.step, lines);
}

std::vector<std::string> Store::checkpoints_to_average() const {
  const CheckpointSettings& checkpoints = parts_.settings.checkpoints;
  std::vector<Index> steps;
  switch (checkpoints.average) {
    case Averaging::none:
      break;
    case Averaging::last:
      steps = last_of(progress_.kept, checkpoints.keep_last);
      break;
    case Averaging::best:
      steps = best_of(progress_.kept, checkpoints.keep_best, parts_.settings.validation.metric);
      break;
  }
  std::vector<std::string> files;
  for (const Index step : steps) files.push_back(directory_.checkpoint(step));
  if (files.size() < 2) files.clear();
  return files;
}

void Store::load_average(const std::vector<std::string>& files, const std::vector<nn::NamedParameter>& mean) {
  if (processes_.first()) {
    nn::copy_tensors(average_weights(files).tensors, mean, "the mean of the checkpoints");
    directory_.check_in_place();  // so the checkpoints were read from this directory
  }
  for (const nn::NamedParameter& parameter : mean) processes_.broadcast(parameter.tensor.values());
}

std::string Store::location() const {
  if (progress_.best)
    return fmt::format("the best weights so far, of step {}, are in {}", progress_.best->step,
                       directory_.weights());
  if (!progress_.kept.empty())
    return "the last weights that were kept are in " + directory_.checkpoint(progress_.kept.back().step);
  if (directory_.has_weights()) return "the weights of an earlier end are in " + directory_.weights();
  return "no weights were saved yet";
}

}  // namespace regard::translation
