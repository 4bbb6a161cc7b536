#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/translation/corpus/corpus.h"

namespace regard::translation {

/// The pairs of one file of a training corpus.
struct CorpusPart {
  std::string file;  ///< of the source side, or with both sides
  Index pairs = 0;   ///< without those that were left out
  double share = 1;  ///< how often each of them comes per epoch
};

/// The files of a corpus, one after the other. Empty: each pair comes once per epoch.
using Mixture = std::vector<CorpusPart>;

/// Returns the mixture of a corpus that was encoded from this text. Both `shares` (one for each file) and
/// `temperature` are the settings.
Mixture mixture_of(const ParallelText& text, const ParallelCorpus& corpus,
                   const std::vector<std::string>& files, const std::vector<double>& shares,
                   double temperature);

/// Returns the pairs of an epoch in the order of the corpus, with repetitions. After E epochs, a pair with
/// share s has come floor(s E) or ceil(s E) times; seed and pair decide in which epochs.
std::vector<std::size_t> pairs_of_epoch(std::size_t pairs, const Mixture& mixture, std::uint64_t seed,
                                        Index epoch);

}  // namespace regard::translation
