#include "apps/translation/training/epoch.h"

#include <algorithm>

namespace regard::translation {

Epoch::Epoch(const ParallelCorpus& corpus, const transformer::Encoder& encoder,
             const TrainingSettings& settings, Index number)
    : corpus_(corpus),
      accumulate_(settings.accumulate),
      lengths_(pair_lengths(corpus, &encoder)),
      plan_(plan_epoch(lengths_, settings.batch, static_cast<std::uint64_t>(settings.seed), number)) {}

std::vector<transformer::Batch> Epoch::micro_batches(Index step) const {
  const std::size_t first = to_size(step * accumulate_);
  const std::size_t last = std::min(first + to_size(accumulate_), plan_.size());
  std::vector<transformer::Batch> batches;
  for (std::size_t i = first; i < last; ++i) batches.push_back(make_batch(corpus_, plan_[i]));
  return batches;
}

}  // namespace regard::translation
