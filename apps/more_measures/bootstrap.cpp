#include "apps/more_measures/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/random.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

ResampledScore summary(double score, std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t cut = samples.size() / 40;  // 2.5 % on either side
  const double lowest = samples[cut], highest = samples[samples.size() - 1 - cut];
  return {.score = score, .mean = mean(samples), .half_width = (highest - lowest) / 2};
}

double p_value(const std::vector<double>& system, const std::vector<double>& baseline, double difference) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < system.size(); ++i) differences.push_back(std::abs(system[i] - baseline[i]));
  const double expected = mean(differences);
  if (expected == 0) return 1;
  const auto larger = std::ranges::count_if(
      differences, [&](double sample) { return sample - expected > std::abs(difference); });
  return static_cast<double>(larger + 1) / static_cast<double>(system.size() + 1);
}

}  // namespace

PairedBootstrap paired_bootstrap(std::size_t sentences, const SampleScore& system,
                                 const SampleScore& baseline, const BootstrapSettings& settings) {
  if (sentences == 0 || settings.samples < 1)
    fail("a bootstrap of {} samples of {} sentences is not possible; give at least one of each",
         settings.samples, sentences);
  std::vector<std::size_t> sample(sentences);
  std::iota(sample.begin(), sample.end(), std::size_t{0});
  const double system_score = system(sample), baseline_score = baseline(sample);

  SplitMix64 random(settings.seed);
  std::vector<double> system_scores, baseline_scores;
  Index system_wins = 0, baseline_wins = 0;
  for (Index i = 0; i < settings.samples; ++i) {
    for (std::size_t& sentence : sample) sentence = random.below(sentences);
    const double ours = system(sample), theirs = baseline(sample);
    system_wins += ours > theirs;
    baseline_wins += theirs > ours;
    system_scores.push_back(ours);
    baseline_scores.push_back(theirs);
  }
  const auto share = [&](Index wins) {
    return static_cast<double>(wins) / static_cast<double>(settings.samples);
  };
  return {.system = summary(system_score, system_scores),
          .baseline = summary(baseline_score, baseline_scores),
          .p_value = p_value(system_scores, baseline_scores, system_score - baseline_score),
          .system_wins = share(system_wins),
          .baseline_wins = share(baseline_wins)};
}

}  // namespace regard::translation
