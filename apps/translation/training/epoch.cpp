#include "apps/translation/training/epoch.h"

#include <algorithm>

#include "apps/translation/processes/shards.h"

namespace regard::translation {

Update::Update(const ParallelCorpus& corpus, std::span<const std::vector<std::size_t>> batches,
               std::span<const PairLength> lengths, Index shards)
    : corpus_(corpus), shards_(shards) {
  for (const std::vector<std::size_t>& batch : batches) {
    std::vector<Index> tokens;  // of each pair, with </s>
    for (const std::size_t pair : batch) {
      tokens.push_back(lengths[pair].source + lengths[pair].target + 2);
      tokens_ += tokens.back();
      targets_ += lengths[pair].target + 1;
    }
    const std::vector<std::size_t> begins = cut_into_shards(tokens, shards);
    std::vector<Piece>& pieces = pieces_.emplace_back();
    for (std::size_t i = 0; i + 1 < begins.size(); ++i)
      pieces.push_back(Piece(batch).subspan(begins[i], begins[i + 1] - begins[i]));
  }
}

transformer::Batch Update::batch(Index micro_batch, Index shard) const {
  return make_batch(corpus_, pieces_[to_size(micro_batch)][to_size(shard)]);
}

Epoch::Epoch(const ParallelCorpus& corpus, const transformer::Encoder& encoder,
             const TrainingSettings& settings, Index number)
    : corpus_(corpus),
      accumulate_(settings.accumulate),
      shards_(settings.shards),
      lengths_(pair_lengths(corpus, &encoder)),
      plan_(plan_epoch(lengths_, settings.batch, static_cast<std::uint64_t>(settings.seed), number)) {}

Update Epoch::update(Index step) const {
  const std::size_t first = to_size(step * accumulate_);
  const std::size_t count = std::min(to_size(accumulate_), plan_.size() - first);
  return {corpus_, std::span(plan_).subspan(first, count), lengths_, shards_};
}

}  // namespace regard::translation
