#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/settings/settings.h"
#include "transformer/batch.h"

namespace regard::translation {

/// Cuts a row of lengths into `shards` consecutive pieces of about equal sums. Returns the position at which
/// each piece begins, and the end of the last. A piece is empty if there are too few lengths.
std::vector<std::size_t> cut_into_shards(const std::vector<Index>& lengths, Index shards);

/// The sentence pairs of one forward and backward pass: a shard of a batch.
struct Part {
  std::uint32_t number;  ///< within its update; its random numbers depend on it
  std::span<const std::size_t> pairs;
};

/// The batches of one update, each cut into shards.
class Update {
 public:
  /// The corpus and the batches must outlive the update.
  Update(const ParallelCorpus& corpus, std::span<const std::vector<std::size_t>> batches,
         std::span<const PairLength> lengths, Index shards);

  Index shards() const { return to_index(parts_.size()); }
  /// Returns the parts in a shard, one of each batch that has enough pairs.
  const std::vector<Part>& parts(Index shard) const { return parts_[to_size(shard)]; }
  transformer::Batch batch(const Part& part) const { return make_batch(corpus_, part.pairs); }
  Index tokens() const { return tokens_; }    ///< of both sides, with </s>
  Index targets() const { return targets_; }  ///< of the target side, with </s>

 private:
  const ParallelCorpus& corpus_;
  std::vector<std::vector<Part>> parts_;  ///< by shard
  Index tokens_ = 0, targets_ = 0;
};

/// The batches of one epoch, grouped into updates of training.accumulate batches.
class Epoch {
 public:
  /// The corpus must outlive the epoch.
  Epoch(const ParallelCorpus& corpus, const transformer::Encoder& encoder, const TrainingSettings& settings,
        Index number);

  /// Updates in this epoch.
  Index steps() const { return (to_index(plan_.size()) + accumulate_ - 1) / accumulate_; }
  /// Returns update `step`, from 0. The epoch must outlive it.
  Update update(Index step) const;
  /// Tokens of both sides in this epoch, with </s>.
  Index tokens() const;

 private:
  const ParallelCorpus& corpus_;
  Index accumulate_, shards_;
  std::vector<PairLength> lengths_;
  BatchPlan plan_;
};

}  // namespace regard::translation
