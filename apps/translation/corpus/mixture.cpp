#include "apps/translation/corpus/mixture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/random.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

/// Gives each part the share of its pairs that the temperature T wants (Arivazhagan et al. 2019,
/// section 4.2): with n pairs in a part and N in all, the part has N n^(1/T) / sum of n^(1/T) pairs per
/// epoch.
void share_by_temperature(Mixture& mixture, double temperature) {
  const auto weight = [&](const CorpusPart& part) {
    return std::pow(static_cast<double>(part.pairs), 1 / temperature);
  };
  double all = 0, weights = 0;
  for (const CorpusPart& part : mixture) {
    all += static_cast<double>(part.pairs);
    weights += weight(part);
  }
  for (CorpusPart& part : mixture)
    part.share = all * weight(part) / weights / static_cast<double>(part.pairs);
}

/// How often a pair has come when this number of epochs has ended. `phase` is its own, from 0 to below 1.
Index times(double share, Index epochs, double phase) {
  return static_cast<Index>(std::floor(share * static_cast<double>(epochs) + phase));
}

}  // namespace

Mixture mixture_of(const ParallelText& text, const ParallelCorpus& corpus,
                   const std::vector<std::string>& files, const std::vector<double>& shares,
                   double temperature) {
  Mixture mixture;
  Index line = 0;
  auto next = corpus.lines.begin();
  for (std::size_t i = 0; i < files.size(); ++i) {
    line += text.file_lines[i];
    const auto end = std::lower_bound(next, corpus.lines.end(), line);
    mixture.push_back({.file = files[i], .pairs = end - next, .share = shares.empty() ? 1 : shares[i]});
    if (end == next) fail("{}: no pair of this file is left to train on; leave the file out", files[i]);
    next = end;
  }
  if (shares.empty()) share_by_temperature(mixture, temperature);
  return mixture;
}

std::vector<std::size_t> pairs_of_epoch(std::size_t pairs, const Mixture& mixture, std::uint64_t seed,
                                        Index epoch) {
  std::vector<std::size_t> result;
  if (mixture.empty()) {
    result.resize(pairs);
    std::iota(result.begin(), result.end(), std::size_t{0});
    return result;
  }
  std::size_t pair = 0;
  for (const CorpusPart& part : mixture)
    for (const std::size_t end = pair + to_size(part.pairs); pair < end; ++pair) {
      // Of few bits, so that a sum with a whole number is exact. The order of the epochs has the seed itself.
      const double phase = static_cast<double>(SplitMix64::for_epoch(~seed, pair).next() >> 44) * 0x1p-20;
      const Index count = times(part.share, epoch, phase) - times(part.share, epoch - 1, phase);
      result.insert(result.end(), to_size(count), pair);
    }
  return result;
}

}  // namespace regard::translation
