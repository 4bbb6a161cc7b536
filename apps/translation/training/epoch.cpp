#include "apps/translation/training/epoch.h"

#include <algorithm>
#include <numeric>

#include "autograd/error.h"

namespace regard::translation {

std::vector<std::size_t> cut_into_shards(const std::vector<Index>& lengths, Index shards) {
  const Index total = std::accumulate(lengths.begin(), lengths.end(), Index{0});
  std::vector<std::size_t> begins(to_size(shards) + 1, lengths.size());
  begins.front() = 0;
  // A length belongs to the piece in which its middle lies.
  Index before = 0, piece = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Index middle =
        std::min(shards * (2 * before + lengths[i]) / std::max<Index>(2 * total, 1), shards - 1);
    while (piece < middle) begins[to_size(++piece)] = i;
    before += lengths[i];
  }
  return begins;
}

Update::Update(const ParallelCorpus& corpus, std::span<const std::vector<std::size_t>> batches,
               std::span<const PairLength> lengths, Index shards)
    : corpus_(corpus), parts_(to_size(shards)) {
  std::uint32_t number = 0;
  for (const std::vector<std::size_t>& batch : batches) {
    std::vector<Index> tokens;  // of each pair, with </s>
    for (const std::size_t pair : batch) {
      tokens.push_back(lengths[pair].source + lengths[pair].target + 2);
      tokens_ += tokens.back();
      targets_ += lengths[pair].target + 1;
    }
    const std::vector<std::size_t> begins = cut_into_shards(tokens, shards);
    for (std::size_t shard = 0; shard < to_size(shards); ++shard, ++number)
      if (begins[shard] < begins[shard + 1])
        parts_[shard].push_back(
            {number, std::span(batch).subspan(begins[shard], begins[shard + 1] - begins[shard])});
  }
}

Epoch::Epoch(const ParallelCorpus& corpus, const transformer::Encoder& encoder,
             const TrainingSettings& settings, Index number)
    : corpus_(corpus),
      accumulate_(settings.accumulate),
      shards_(settings.shards),
      lengths_(pair_lengths(corpus, &encoder)),
      plan_(plan_epoch(lengths_, settings.batch_tokens, static_cast<std::uint64_t>(settings.seed), number)) {}

Index Epoch::tokens() const {
  Index tokens = 0;
  for (const PairLength& length : lengths_) tokens += length.source + length.target + 2;
  return tokens;
}

Update Epoch::update(Index step) const {
  const std::size_t first = to_size(step * accumulate_);
  const std::size_t count = std::min(to_size(accumulate_), plan_.size() - first);
  return {corpus_, std::span(plan_).subspan(first, count), lengths_, shards_};
}

}  // namespace regard::translation
