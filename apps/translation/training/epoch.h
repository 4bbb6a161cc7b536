#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/settings/settings.h"
#include "transformer/batch.h"

namespace regard::translation {

/// Cuts a row of lengths into consecutive pieces of about equal sums. Returns the position at which each
/// piece begins, and the end of the last. A piece is empty if there are too few lengths.
std::vector<std::size_t> cut_into_pieces(const std::vector<Index>& lengths, Index pieces);

/// The sentence pairs of one forward and backward pass: a batch is cut into training.shards of them.
struct MicroBatch {
  std::uint32_t number;  ///< within its step; its random numbers depend on it
  std::span<const std::size_t> pairs;
};

/// The batches of one step (training.accumulate of them, fewer at the end of an epoch), in micro-batches.
struct StepBatches {
  /// At position i: micro-batch i of each batch that has enough pairs. The sum of their gradients is leaf i
  /// of the tree of sum_gradients (processes/gradient_sum.h).
  std::vector<std::vector<MicroBatch>> micro_batches;
  Index tokens = 0;   ///< of both sides, with </s>
  Index targets = 0;  ///< of the target side, with </s>
};

/// The batches of one epoch.
class Epoch {
 public:
  /// The corpus must outlive the epoch.
  Epoch(const ParallelCorpus& corpus, const transformer::Encoder& encoder, const TrainingSettings& settings,
        Index number, const Mixture& mixture = {});

  /// Steps in this epoch.
  Index steps() const { return ceil_divide(to_index(plan_.size()), accumulate_); }
  /// Returns the batches of a step, which counts from 0. The epoch must outlive them.
  StepBatches step(Index step) const;
  transformer::Batch batch(const MicroBatch& pairs) const { return make_batch(corpus_, pairs.pairs); }
  /// Tokens of both sides in this epoch, with </s>.
  Index tokens() const;

 private:
  const ParallelCorpus& corpus_;
  Index accumulate_, micro_batches_;
  std::vector<PairLength> lengths_;
  BatchPlan plan_;
};

}  // namespace regard::translation
