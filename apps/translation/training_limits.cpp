#include "apps/translation/training_limits.h"

#include <algorithm>
#include <limits>

namespace regard::translation {

bool reached_limit(const Settings& settings, const Progress& progress) {
  const auto reached = [](std::int64_t limit, std::int64_t done) { return limit > 0 && done >= limit; };
  return reached(settings.training.steps, progress.step) ||
         reached(settings.training.tokens, progress.tokens) ||
         reached(settings.training.epoch_limit(), progress.epoch - 1) ||
         reached(settings.validation.patience, progress.without_best);
}

std::int64_t planned_steps(const TrainingSettings& settings, std::int64_t steps_in_epoch,
                           std::span<const PairLength> lengths) {
  std::int64_t tokens = 0;  // of an epoch, </s> counted
  for (const PairLength& length : lengths) tokens += length.source + length.target + 2;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t planned = none;
  const auto limit = [&](std::int64_t wanted, std::int64_t steps) {
    if (wanted > 0) planned = std::min(planned, steps);
  };
  limit(settings.steps, settings.steps);
  limit(settings.epoch_limit(), settings.epoch_limit() * steps_in_epoch);
  limit(settings.tokens, (settings.tokens * steps_in_epoch + tokens - 1) / tokens);
  return planned == none ? 0 : planned;
}

}  // namespace regard::translation
