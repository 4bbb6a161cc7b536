#include "apps/translation/training/checkpoints.h"

#include <algorithm>

#include "autograd/error.h"

namespace regard::translation {

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
