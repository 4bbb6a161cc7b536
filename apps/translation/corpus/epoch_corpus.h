#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "apps/translation/corpus/corpus.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// Cuts the sentences of a training corpus into other tokens in each epoch. `plain` is the corpus with its
/// usual tokens. Empty: nothing is cut again.
using CutAgain = std::function<ParallelCorpus(const ParallelCorpus& plain, std::uint64_t seed, Index epoch)>;

/// Gives the training corpus of each epoch.
class EpochCorpus {
 public:
  EpochCorpus(const ParallelCorpus& corpus, CutAgain cut_again, std::uint64_t seed)
      : plain_(corpus), cut_again_(std::move(cut_again)), seed_(seed) {}

  /// Returns the corpus of an epoch. The reference is valid until the next call.
  const ParallelCorpus& at(Index epoch) {
    if (!cut_again_) return plain_;
    return sampled_ = cut_again_(plain_, seed_, epoch);
  }

 private:
  const ParallelCorpus& plain_;
  CutAgain cut_again_;
  std::uint64_t seed_;
  ParallelCorpus sampled_;
};

}  // namespace regard::translation
