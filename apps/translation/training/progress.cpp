#include "apps/translation/training/progress.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "autograd/machine/error.h"

/// Writes nothing as null.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& to, const std::optional<T>& from) { to = from ? json(*from) : json(); }
  static void from_json(const json& from, std::optional<T>& to) {
    if (from.is_null())
      to.reset();
    else
      to = from.get<T>();
  }
};

namespace regard::translation {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Checkpoint, step, score)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Window, steps, tokens, loss, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Progress, step, epoch, epoch_steps, tokens, seconds, window,
                                   validated_step, best, best_validation, without_best, rate_reductions, kept,
                                   finished, metrics_bytes)

namespace {

/// True if a training can reach this progress. It is false for a damaged file.
bool possible(const Progress& progress) {
  Index before = 0;
  for (const Checkpoint& checkpoint : progress.kept)
    if (std::exchange(before, checkpoint.step) >= checkpoint.step) return false;
  const auto up_to = [](auto most, auto... numbers) { return ((numbers >= 0 && numbers <= most) && ...); };
  return up_to(most_counted, progress.step, progress.tokens, progress.without_best, progress.rate_reductions,
               progress.window.tokens, progress.metrics_bytes) &&
         up_to(static_cast<double>(most_counted), progress.seconds) &&
         up_to(progress.step, progress.epoch_steps, progress.window.steps, before) && progress.epoch >= 1 &&
         progress.epoch <= progress.step + 1 &&  // each epoch has at least one step
         progress.validated_step <= progress.step;
}

}  // namespace

std::string to_text(const Progress& progress) { return nlohmann::json(progress).dump(); }

Progress parse_progress(const std::string& text, const std::string& name) {
  Progress progress;
  try {
    nlohmann::json json = nlohmann::json::parse(text);
    if (json.is_object()) json.emplace("rate_reductions", 0);  // earlier versions had no schedule plateau
    json.get_to(progress);
  } catch (const nlohmann::json::exception& error) {
    fail("{}: this is not the progress of a training: {}", name, error.what());
  }
  if (!possible(progress)) fail("{}: no training can reach this progress", name);
  return progress;
}

void check_epoch(const Progress& progress, Index steps_in_epoch) {
  if (progress.epoch_steps > steps_in_epoch)
    fail("the state of step {} has {} steps in epoch {}, but this epoch has {}; {}", progress.step,
         progress.epoch_steps, progress.epoch, steps_in_epoch, "--overwrite starts a new training");
}

const char* reached_limit(const Settings& settings, const Progress& progress, Index steps_in_epoch) {
  const bool epoch_complete = steps_in_epoch > 0 && progress.epoch_steps == steps_in_epoch;
  const Index epochs = progress.epoch - (epoch_complete ? 0 : 1);
  const auto reached = [](auto limit, auto done) { return limit > 0 && done >= limit; };
  if (reached(settings.training.steps, progress.step)) return "training.steps";
  if (reached(settings.training.tokens, progress.tokens)) return "training.tokens";
  if (reached(settings.training.minutes, progress.seconds / 60)) return "training.minutes";
  if (reached(settings.training.epoch_limit(), epochs)) return "training.epochs";
  if (reached(settings.validation.patience, progress.without_best)) return "validation.patience";
  return nullptr;
}

bool validation_due(const ValidationSettings& settings, const Progress& progress, Index steps_in_epoch) {
  if (settings.every_steps > 0) return progress.step % settings.every_steps == 0;
  return progress.epoch_steps == steps_in_epoch && progress.epoch % settings.every_epochs == 0;
}

void count_patience(Progress& progress, ValidationMetric metric, double score) {
  const bool improved = !progress.best_validation || better(metric, score, *progress.best_validation);
  if (improved) progress.best_validation = score;
  progress.without_best = improved ? 0 : progress.without_best + 1;
}

void reduce_on_plateau(Progress& progress, const TrainingSettings& settings) {
  if (settings.schedule == nn::Schedule::plateau && progress.step >= settings.warmup_steps &&
      progress.without_best > 0 && progress.without_best % settings.plateau_patience == 0)
    ++progress.rate_reductions;
}

double score_of(const Validation& validation, ValidationMetric metric) {
  switch (metric) {
    case ValidationMetric::bleu:
      return validation.bleu.score;
    case ValidationMetric::exact_match:
      return validation.evaluation.exact_match;
    case ValidationMetric::loss:
      break;
  }
  return validation.evaluation.loss;
}

bool better(ValidationMetric metric, double score, double other) {
  return metric == ValidationMetric::loss ? score < other : score > other;
}

std::vector<Index> best_of(std::span<const Checkpoint> checkpoints, Index count, ValidationMetric metric) {
  std::vector<Checkpoint> ordered(checkpoints.begin(), checkpoints.end());
  std::ranges::stable_sort(
      ordered, [&](const Checkpoint& a, const Checkpoint& b) { return better(metric, a.score, b.score); });
  ordered.resize(std::min(ordered.size(), to_size(count)));
  std::vector<Index> steps;
  for (const Checkpoint& checkpoint : ordered) steps.push_back(checkpoint.step);
  std::ranges::sort(steps);
  return steps;
}

std::vector<Index> last_of(std::span<const Checkpoint> checkpoints, Index count) {
  std::vector<Index> steps;
  for (const Checkpoint& checkpoint : checkpoints.last(std::min(checkpoints.size(), to_size(count))))
    steps.push_back(checkpoint.step);
  return steps;
}

std::vector<Checkpoint> checkpoints_to_keep(std::span<const Checkpoint> checkpoints,
                                            const CheckpointSettings& settings, ValidationMetric metric) {
  const std::vector<Index> best = best_of(checkpoints, settings.keep_best, metric);
  const std::vector<Index> last = last_of(checkpoints, settings.keep_last);
  std::vector<Checkpoint> result;
  for (const Checkpoint& checkpoint : checkpoints)
    if (std::ranges::count(best, checkpoint.step) + std::ranges::count(last, checkpoint.step) > 0)
      result.push_back(checkpoint);
  return result;
}

}  // namespace regard::translation
