#include "apps/translation/training_limits.h"

#include <algorithm>
#include <cmath>

namespace regard::translation {

const char* reached_limit(const Settings& settings, const Progress& progress) {
  const auto reached = [](std::int64_t limit, std::int64_t done) { return limit > 0 && done >= limit; };
  if (reached(settings.training.steps, progress.step)) return "training.steps";
  if (reached(settings.training.tokens, progress.tokens)) return "training.tokens";
  if (reached(settings.training.epoch_limit(), progress.epoch - 1)) return "training.epochs";
  if (reached(settings.validation.patience, progress.without_best)) return "validation.patience";
  return nullptr;
}

std::int64_t planned_steps(const TrainingSettings& settings, std::int64_t steps_in_epoch,
                           std::span<const PairLength> lengths) {
  double tokens = 0;  // of an epoch, </s> counted
  for (const PairLength& length : lengths) tokens += static_cast<double>(length.source + length.target + 2);
  // In floating point: who wants to train for ever gives any large number.
  constexpr double none = 1e15;
  double planned = none;
  const auto limit = [&](std::int64_t wanted, double steps_for_each) {
    if (wanted > 0) planned = std::min(planned, std::ceil(static_cast<double>(wanted) * steps_for_each));
  };
  const auto epoch = static_cast<double>(steps_in_epoch);
  limit(settings.steps, 1);
  limit(settings.epoch_limit(), epoch);
  limit(settings.tokens, epoch / tokens);
  return planned == none ? 0 : static_cast<std::int64_t>(planned);
}

}  // namespace regard::translation
