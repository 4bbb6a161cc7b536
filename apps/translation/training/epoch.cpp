#include "apps/translation/training/epoch.h"

#include <algorithm>
#include <numeric>

namespace regard::translation {

std::vector<std::size_t> cut_into_pieces(const std::vector<Index>& lengths, Index pieces) {
  const Index total = std::accumulate(lengths.begin(), lengths.end(), Index{0});
  std::vector<std::size_t> begins(to_size(pieces) + 1, lengths.size());
  begins.front() = 0;
  // A length belongs to the piece in which its middle lies.
  Index before = 0, piece = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Index middle =
        std::min(pieces * (2 * before + lengths[i]) / std::max<Index>(2 * total, 1), pieces - 1);
    while (piece < middle) begins[to_size(++piece)] = i;
    before += lengths[i];
  }
  return begins;
}

Epoch::Epoch(const ParallelCorpus& corpus, const transformer::Encoder& encoder,
             const TrainingSettings& settings, Index number, const Mixture& mixture)
    : corpus_(corpus),
      accumulate_(settings.accumulate),
      micro_batches_(settings.shards),
      lengths_(pair_lengths(corpus, &encoder)),
      plan_(plan_epoch(lengths_, settings.batch_tokens, static_cast<std::uint64_t>(settings.seed), number,
                       mixture)) {}

Index Epoch::tokens() const {
  Index tokens = 0;
  for (const std::vector<std::size_t>& batch : plan_)
    for (const std::size_t pair : batch) tokens += lengths_[pair].source + lengths_[pair].target + 2;
  return tokens;
}

StepBatches Epoch::step(Index step) const {
  StepBatches result{.micro_batches = std::vector<std::vector<MicroBatch>>(to_size(micro_batches_))};
  std::uint32_t number = 0;
  const std::size_t first = to_size(step * accumulate_);
  for (std::size_t i = first; i < std::min(first + to_size(accumulate_), plan_.size()); ++i) {
    const std::span<const std::size_t> batch = plan_[i];
    std::vector<Index> tokens;  // of each pair, with </s>
    for (const std::size_t pair : batch) {
      tokens.push_back(lengths_[pair].source + lengths_[pair].target + 2);
      result.tokens += tokens.back();
      result.targets += lengths_[pair].target + 1;
    }
    const std::vector<std::size_t> begins = cut_into_pieces(tokens, micro_batches_);
    for (std::size_t piece = 0; piece + 1 < begins.size(); ++piece, ++number)
      if (const std::size_t size = begins[piece + 1] - begins[piece]; size > 0)
        result.micro_batches[piece].push_back({number, batch.subspan(begins[piece], size)});
  }
  return result;
}

}  // namespace regard::translation
