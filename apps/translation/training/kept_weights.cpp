#include "apps/translation/training/kept_weights.h"

#include <algorithm>
#include <utility>

#include "apps/translation/files/warning.h"

namespace regard::translation {

KeptWeights::KeptWeights(const Settings& settings, const ModelDirectory& directory, nn::Metadata identity,
                         transformer::EncoderDecoder& model, Progress& progress, bool writes)
    : settings_(settings),
      directory_(directory),
      identity_(std::move(identity)),
      model_(model),
      progress_(progress),
      writes_(writes) {}

bool KeptWeights::save_if_best(double score) {
  if (progress_.best && !better(settings_.validation.metric, score, progress_.best->score)) return false;
  progress_.best = {.step = progress_.step, .score = score};
  save();
  return true;
}

void KeptWeights::count_patience(double score) {
  const bool improved =
      !progress_.best_validation || better(settings_.validation.metric, score, *progress_.best_validation);
  if (improved) progress_.best_validation = score;
  progress_.without_best = improved ? 0 : progress_.without_best + 1;
}

Index KeptWeights::patience_left() const {
  const Index patience = settings_.validation.patience;
  return patience > 0 ? patience - progress_.without_best : -1;
}

void KeptWeights::keep_checkpoint(double score) {
  std::erase_if(progress_.kept, [&](const Checkpoint& kept) { return kept.step == progress_.step; });
  progress_.kept.push_back({.step = progress_.step, .score = score});
  progress_.kept = checkpoints_to_keep(progress_.kept, settings_.checkpoints, settings_.validation.metric);
  if (writes_ && std::ranges::count(progress_.kept, progress_.step, &Checkpoint::step) > 0)
    directory_.save_checkpoint(progress_.step, model_, identity_);
}

std::vector<std::string> KeptWeights::files_to_average() const {
  const CheckpointSettings& checkpoints = settings_.checkpoints;
  if (checkpoints.average == Averaging::none) return {};
  const std::vector<Index> steps =
      checkpoints.average == Averaging::last
          ? last_of(progress_.kept, checkpoints.keep_last)
          : best_of(progress_.kept, checkpoints.keep_best, settings_.validation.metric);
  std::vector<std::string> files;
  for (const Index step : steps) files.push_back(directory_.checkpoint(step));
  if (files.size() < 2) files.clear();
  return files;
}

std::string KeptWeights::location() const {
  if (progress_.best)
    return fmt::format("the best weights so far, of step {}, are in {}", progress_.best->step,
                       directory_.weights());
  if (!progress_.kept.empty())
    return "the last weights that were kept are in " + directory_.checkpoint(progress_.kept.back().step);
  if (directory_.has_weights()) return "the weights of an earlier end are in " + directory_.weights();
  return "no weights were saved yet";
}

/// The user may have set the number of checkpoints when the training began, and not set it now.
void KeptWeights::resume() {
  kept_in_last_state_ = progress_.kept;
  const std::size_t now = progress_.kept.size();
  const std::size_t wanted =
      checkpoints_to_keep(progress_.kept, settings_.checkpoints, settings_.validation.metric).size();
  if (wanted < now)
    warn(
        "{} has {} checkpoints, but checkpoints.keep_last is now {} and keep_best is {}; the other "
        "checkpoints will be removed",
        directory_.path(), now, settings_.checkpoints.keep_last, settings_.checkpoints.keep_best);
}

/// Also keeps the checkpoints that only the state before this one names, so that the training can still be
/// resumed from that state. At its end a training saves the last step twice. Then both states name the same
/// checkpoints, and no more of them stay than the settings want.
void KeptWeights::remove_old() {
  constexpr std::size_t states = 2;  // if the newest is damaged, the training resumes from the other
  directory_.keep_states(states);
  std::vector<Index> named;
  for (const auto* list : {&progress_.kept, &kept_in_last_state_})
    for (const Checkpoint& checkpoint : *list) named.push_back(checkpoint.step);
  directory_.keep_checkpoints(named);
  kept_in_last_state_ = progress_.kept;
}

}  // namespace regard::translation
