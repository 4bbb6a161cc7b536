#pragma once

#include <span>
#include <vector>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/settings/settings.h"
#include "transformer/batch.h"

namespace regard::translation {

/// The micro-batches of one update, each cut into shards.
class Update {
 public:
  /// Cuts the batches into this number of shards. The corpus must outlive the update.
  Update(const ParallelCorpus& corpus, std::span<const std::vector<std::size_t>> batches,
         std::span<const PairLength> lengths, Index shards);

  Index micro_batches() const { return to_index(pieces_.size()); }
  Index shards() const { return shards_; }
  /// Returns a shard of a micro-batch: its sentence pairs in their order. It has none if the micro-batch has
  /// too few.
  transformer::Batch batch(Index micro_batch, Index shard) const;
  Index tokens() const { return tokens_; }    ///< of both sides, with </s>
  Index targets() const { return targets_; }  ///< of the target side, with </s>

 private:
  using Piece = std::span<const std::size_t>;
  const ParallelCorpus& corpus_;
  Index shards_;
  std::vector<std::vector<Piece>> pieces_;  ///< by micro-batch and shard
  Index tokens_ = 0, targets_ = 0;
};

/// The batches of one epoch, grouped into updates. training.accumulate micro-batches make one update.
class Epoch {
 public:
  /// The corpus must outlive the epoch.
  Epoch(const ParallelCorpus& corpus, const transformer::Encoder& encoder, const TrainingSettings& settings,
        Index number);

  /// Updates in this epoch.
  Index steps() const { return (to_index(plan_.size()) + accumulate_ - 1) / accumulate_; }
  /// Returns update `step`, from 0. The epoch must outlive it.
  Update update(Index step) const;
  const std::vector<PairLength>& lengths() const { return lengths_; }

 private:
  const ParallelCorpus& corpus_;
  Index accumulate_, shards_;
  std::vector<PairLength> lengths_;
  BatchPlan plan_;
};

}  // namespace regard::translation
