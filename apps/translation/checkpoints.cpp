#include "apps/translation/checkpoints.h"

#include <algorithm>

namespace regard::translation {

bool better(ValidationMetric metric, double score, double other) {
  return metric == ValidationMetric::loss ? score < other : score > other;
}

std::vector<std::int64_t> best_of(std::span<const Checkpoint> checkpoints, std::int64_t count,
                                  ValidationMetric metric) {
  std::vector<Checkpoint> ordered(checkpoints.begin(), checkpoints.end());
  std::ranges::stable_sort(
      ordered, [&](const Checkpoint& a, const Checkpoint& b) { return better(metric, a.score, b.score); });
  ordered.resize(std::min(ordered.size(), static_cast<std::size_t>(count)));
  std::vector<std::int64_t> steps;
  for (const Checkpoint& checkpoint : ordered) steps.push_back(checkpoint.step);
  std::ranges::sort(steps);
  return steps;
}

std::vector<std::int64_t> last_of(std::span<const Checkpoint> checkpoints, std::int64_t count) {
  std::vector<std::int64_t> steps;
  for (const Checkpoint& checkpoint :
       checkpoints.last(std::min(checkpoints.size(), static_cast<std::size_t>(count))))
    steps.push_back(checkpoint.step);
  return steps;
}

std::vector<Checkpoint> kept(std::span<const Checkpoint> checkpoints, const CheckpointSettings& settings,
                             ValidationMetric metric) {
  const std::vector<std::int64_t> best = best_of(checkpoints, settings.keep_best, metric);
  const std::vector<std::int64_t> last = last_of(checkpoints, settings.keep_last);
  std::vector<Checkpoint> result;
  for (const Checkpoint& checkpoint : checkpoints)
    if (std::ranges::count(best, checkpoint.step) + std::ranges::count(last, checkpoint.step) > 0)
      result.push_back(checkpoint);
  return result;
}

}  // namespace regard::translation
