#include "apps/translation/checkpoints.h"

#include <algorithm>

#include "autograd/error.h"
#include "nn/safetensors.h"

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

std::map<std::string, Tensor> average_weights(std::span<const std::string> paths) {
  if (paths.empty()) fail("there are no weights to average");
  std::map<std::string, Tensor> result;
  std::map<std::string, std::vector<double>> sums;
  for (const std::string& path : paths) {
    std::map<std::string, Tensor> weights = nn::load_safetensors(path);
    if (!result.empty()) {
      std::vector<nn::NamedParameter> expected(result.size());
      std::ranges::transform(result, expected.begin(), [](const auto& entry) {
        return nn::NamedParameter{entry.first, entry.second};
      });
      nn::copy_tensors(weights, expected, path);  // refuses another model's
    }
    for (const auto& [name, tensor] : weights) {
      std::vector<double>& sum = sums[name];
      sum.resize(static_cast<std::size_t>(tensor.size()));
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(tensor.values()[i]);
    }
    if (result.empty()) result = std::move(weights);
  }
  for (auto& [name, tensor] : result)
    for (std::size_t i = 0; i < sums.at(name).size(); ++i)
      tensor.values()[i] = static_cast<Real>(sums.at(name)[i] / static_cast<double>(paths.size()));
  return result;
}

}  // namespace regard::translation
