#include "apps/translation/training/store.h"

#include <algorithm>

#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/training/training_state.h"
#include "autograd/machine/error.h"
#include "nn/safetensors.h"

namespace regard::translation {

namespace {

/// Gives every process the state of the first one.
void share_state(Training& training) {
  Processes& processes = training.processes;
  if (processes.alone()) return;
  training.progress = parse_progress(of_first(processes, [&] { return to_text(training.progress); }),
                                     "the progress of the first process");
  for (const nn::NamedParameter& part : tensors_of(training)) processes.broadcast(part.tensor.values());
  training.optimiser->set_steps(training.progress.step);
}

/// Shortens the log to this number of bytes if it is longer. Warns if it is shorter.
void truncate(const std::string& log, Index bytes) {
  const Index size = file_size(log);
  if (size == bytes) return;
  std::string text = size > 0 ? read_file(log) : "";
  if (size < bytes) {  // another program has shortened it
    warn("{} is shorter than it was; some of its lines are lost", log);
    bytes = to_index(text.rfind('\n') + 1);  // keeps only complete lines
  }
  write_file(log, text.substr(0, to_size(bytes)));
}

/// Removes states and checkpoints that are not needed any more. Keeps the checkpoints that only the state
/// before the newest names, so that the training can still be resumed from that state. At its end a training
/// saves the last step twice. Then both states name the same checkpoints, and no more of them stay than the
/// settings want.
void remove_old(Training& training) {
  constexpr std::size_t states = 2;  // if the newest is damaged, the training resumes from the other
  const std::vector<Index> steps = training.directory.states.steps();
  training.directory.states.keep(std::span(steps).first(std::min(states, steps.size())));
  std::vector<Index> named;
  for (const auto* list : {&training.progress.kept, &training.kept_in_last_state})
    for (const Checkpoint& checkpoint : *list) named.push_back(checkpoint.step);
  training.directory.checkpoints.keep(named);
  training.kept_in_last_state = training.progress.kept;
}

void read_state(Training& training) {
  const ModelDirectory& directory = training.directory;
  Progress& progress = training.progress;
  load_state(training);
  forget_missing_weights(directory, progress);
  directory.check_in_place();          // so these files were read from this directory
  directory.remove_temporary_files();  // of a program that was killed
  save_vocabularies(directory.path(), training.settings.data, training.data->vocabularies);
  training.kept_in_last_state = progress.kept;
  // A finished training follows no new settings, so config.json must not have them. The program may have been
  // killed before it removed the old files.
  if (progress.finished && reached_limit(training.settings, progress) != nullptr) return remove_old(training);
  // The user may have set the number of checkpoints when the training began, and not set it now.
  const CheckpointSettings& settings = training.settings.checkpoints;
  const std::size_t now = progress.kept.size();
  if (checkpoints_to_keep(progress.kept, settings, training.settings.validation.metric).size() < now)
    remark(
        "{} has {} checkpoints, but checkpoints.keep_last is now {} and keep_best is {}; the other "
        "checkpoints will be removed",
        directory.path(), now, settings.keep_last, settings.keep_best);
  save_config(directory.path(), training.settings);  // some settings may have changed
  std::vector<Index> steps = directory.states.steps();
  std::erase_if(steps, [&](Index step) { return step > progress.step; });
  directory.states.keep(steps);  // the training makes the later ones again
  // It validates again, but with a limit on time perhaps after other steps.
  const std::vector<Index> logged = directory.logged_validations();
  std::vector<Index> validations = directory.validations.steps();
  std::erase_if(validations,
                [&](Index step) { return step > progress.step && std::ranges::count(logged, step) > 0; });
  directory.validations.keep(validations);
  truncate(directory.metrics(), progress.metrics_bytes);
}

/// The identity of the model and the trained sources, which are written into the files of weights.
nn::Metadata metadata_of(const Training& training) {
  nn::Metadata metadata = identity_of(training.settings, training.data->vocabularies);
  training.data->sources.add_to(metadata);
  return metadata;
}

void write_weights(const Training& training, const std::string& path) {
  nn::save_safetensors(training.directory.writable(path), training.model->parameters(),
                       metadata_of(training));
}

}  // namespace

void begin(Training& training) {
  if (training.processes.first()) {
    ModelDirectory& directory = training.directory;
    if (!directory.locked()) {
      make_directories(directory.path());
      directory.lock();
      if (directory.content() != ModelDirectory::Content::nothing)
        fail("another process has just begun a training in {}; repeat the command to resume that training",
             directory.path());
    }
    directory.check_in_place();
    directory.remove_temporary_files();
    save_state(training);
    directory.remove_results();
    save_vocabularies(directory.path(), training.settings.data, training.data->vocabularies);
    save_config(directory.path(), training.settings);
  }
  share_state(training);  // the initial weights, which only the first process may have
}

void resume(Training& training) {
  if (training.processes.first()) read_state(training);
  share_state(training);
}

void save(Training& training) {
  if (training.processes.first()) {
    const std::string metrics = training.directory.metrics();
    sync_file(metrics);  // after a power cut it must not be shorter than the state says
    training.progress.metrics_bytes = file_size(metrics);
    save_state(training);
    remove_old(training);
  }
  // Unequal kernels round the updates differently. This keeps the weights of the processes together.
  if (training.settings.training.unequal_kernels) share_state(training);
}

void save_weights(const Training& training) {
  if (training.processes.first()) write_weights(training, training.directory.weights());
}

bool save_if_best(Training& training, double score) {
  Progress& progress = training.progress;
  if (progress.best && !better(training.settings.validation.metric, score, progress.best->score))
    return false;
  progress.best = {.step = progress.step, .score = score};
  save_weights(training);
  return true;
}

void keep_checkpoint(Training& training, double score) {
  const Index step = training.progress.step;
  std::vector<Checkpoint>& kept = training.progress.kept;
  std::erase_if(kept, [&](const Checkpoint& other) { return other.step == step; });
  kept.push_back({.step = step, .score = score});
  kept = checkpoints_to_keep(kept, training.settings.checkpoints, training.settings.validation.metric);
  if (training.processes.first() && std::ranges::count(kept, step, &Checkpoint::step) > 0)
    write_weights(training, training.directory.checkpoints.file(step));
}

void save_validation(const Training& training, const std::vector<std::string>& translations) {
  if (!training.processes.first()) return;
  const ParallelCorpus& corpus = *training.data->validation;
  std::vector<std::string> lines(to_size(corpus.lines_read));
  for (std::size_t i = 0; i < translations.size(); ++i) lines[to_size(corpus.lines[i])] = translations[i];
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  const ModelDirectory& directory = training.directory;
  write_file(directory.writable(directory.validations.file(training.progress.step)), text);
}

std::vector<std::string> checkpoints_to_average(const Training& training) {
  const CheckpointSettings& settings = training.settings.checkpoints;
  const std::vector<Checkpoint>& kept = training.progress.kept;
  std::vector<Index> steps;
  switch (settings.average) {
    case Averaging::none:
      break;
    case Averaging::last:
      steps = last_of(kept, settings.keep_last);
      break;
    case Averaging::best:
      steps = best_of(kept, settings.keep_best, training.settings.validation.metric);
      break;
  }
  std::vector<std::string> files;
  for (const Index step : steps) files.push_back(training.directory.checkpoints.file(step));
  if (files.size() < 2) files.clear();
  return files;
}

void load_average(const Training& training, const std::vector<std::string>& files,
                  const std::vector<nn::NamedParameter>& mean) {
  if (training.processes.first()) {
    nn::copy_tensors(average_weights(files).tensors, mean, "the mean of the checkpoints");
    training.directory.check_in_place();  // so the checkpoints were read from this directory
  }
  for (const nn::NamedParameter& parameter : mean) training.processes.broadcast(parameter.tensor.values());
}

std::string location_of_weights(const Training& training) {
  const Progress& progress = training.progress;
  const ModelDirectory& directory = training.directory;
  if (progress.best)
    return fmt::format("the best weights so far, of step {}, are in {}", progress.best->step,
                       directory.weights());
  if (!progress.kept.empty())
    return "the last weights that were kept are in " + directory.checkpoints.file(progress.kept.back().step);
  if (directory.has_weights()) return "the weights of an earlier end are in " + directory.weights();
  return "no weights were saved yet";
}

}  // namespace regard::translation
