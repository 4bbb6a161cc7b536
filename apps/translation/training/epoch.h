#pragma once

#include <vector>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/settings/settings.h"
#include "transformer/batch.h"

namespace regard::translation {

/// The batches of one epoch, grouped into updates. training.accumulate micro-batches make one update.
class Epoch {
 public:
  /// The corpus must outlive the epoch.
  Epoch(const ParallelCorpus& corpus, const transformer::Encoder& encoder, const TrainingSettings& settings,
        Index number);

  /// Updates in this epoch.
  Index steps() const { return (to_index(plan_.size()) + accumulate_ - 1) / accumulate_; }
  /// Returns the micro-batches of update `step`, from 0.
  std::vector<transformer::Batch> micro_batches(Index step) const;
  const std::vector<PairLength>& lengths() const { return lengths_; }

 private:
  const ParallelCorpus& corpus_;
  Index accumulate_;
  std::vector<PairLength> lengths_;
  BatchPlan plan_;
};

}  // namespace regard::translation
