#include "apps/translation/training/training_limits.h"

#include <algorithm>
#include <cmath>

namespace regard::translation {

const char* reached_limit(const Settings& settings, const Progress& progress, Index steps_in_epoch) {
  const bool epoch_complete = steps_in_epoch > 0 && progress.epoch_steps == steps_in_epoch;
  const Index epochs = progress.epoch - (epoch_complete ? 0 : 1);
  const auto reached = [](Index limit, Index done) { return limit > 0 && done >= limit; };
  if (reached(settings.training.steps, progress.step)) return "training.steps";
  if (reached(settings.training.tokens, progress.tokens)) return "training.tokens";
  if (reached(settings.training.epoch_limit(), epochs)) return "training.epochs";
  if (reached(settings.validation.patience, progress.without_best)) return "validation.patience";
  return nullptr;
}

Index planned_steps(const TrainingSettings& settings, const Progress& progress, Index steps_in_epoch,
                    std::span<const PairLength> lengths) {
  double tokens = 0;  // of an epoch, </s> counted
  for (const PairLength& length : lengths) tokens += static_cast<double>(length.source + length.target + 2);
  // In floating point, because a user may give a very large limit in order to train without an end.
  constexpr double none = 1e15;
  double planned = none;
  // Applies one limit. Of `wanted` units, `done` are done at step `now`; each further unit takes
  // `steps_for_each` steps.
  const auto limit = [&](Index wanted, Index done, double steps_for_each, Index now) {
    if (wanted <= 0) return;
    const double left = static_cast<double>(wanted) - static_cast<double>(done);
    planned = std::min(planned, static_cast<double>(now) + std::ceil(left * steps_for_each));
  };
  const auto epoch = static_cast<double>(steps_in_epoch);
  limit(settings.steps, progress.step, 1, progress.step);
  limit(settings.epoch_limit(), progress.epoch - 1, epoch, progress.step - progress.epoch_steps);
  limit(settings.tokens, progress.tokens, epoch / tokens, progress.step);
  return planned == none ? 0 : static_cast<Index>(planned);
}

}  // namespace regard::translation
