#include "apps/translation/checkpoints.h"

#include <algorithm>
#include <cmath>

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

namespace {
/// Weights that may be averaged.
std::map<std::string, Tensor> load_weights(const std::string& path) {
  nn::Metadata metadata;
  std::map<std::string, Tensor> weights = nn::load_safetensors(path, &metadata);
  if (metadata.contains("progress"))
    fail("{} is the state of a training, not weights alone; take those in checkpoints/", path);
  if (weights.empty()) fail("{} holds no tensors", path);
  for (const auto& [name, tensor] : weights)
    if (!std::ranges::all_of(tensor.values(), [](Real value) { return std::isfinite(value); }))
      fail("{}: {} holds values that are no numbers", path, name);
  return weights;
}
}  // namespace

std::map<std::string, Tensor> average_weights(std::span<const std::string> paths) {
  if (paths.empty()) fail("there are no weights to average");
  std::map<std::string, Tensor> mean = load_weights(paths.front());
  std::vector<nn::NamedParameter> named;
  std::map<std::string, std::vector<double>> sums;
  for (const auto& [name, tensor] : mean) {
    named.push_back({name, tensor});
    sums[name].assign(tensor.values().begin(), tensor.values().end());
  }
  for (const std::string& path : paths.subspan(1)) {
    const std::map<std::string, Tensor> weights = load_weights(path);
    nn::check_same_tensors(weights, named, path, paths.front());
    for (auto& [name, sum] : sums)
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += static_cast<double>(weights.at(name).values()[i]);
  }
  for (const auto& [name, tensor] : named)
    for (std::size_t i = 0; i < sums.at(name).size(); ++i)
      tensor.values()[i] = static_cast<Real>(sums.at(name)[i] / static_cast<double>(paths.size()));
  return mean;
}

}  // namespace regard::translation
