#include <algorithm>
#include <cstdint>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "transformer/self_attention/transformer.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

/// Decoding with caches. The keys and values of the memory are computed once per source, and its hypotheses
/// share them. The keys and values of a token are computed once, when the token is read, and stay in a row of
/// the cache. A hypothesis is a list of such rows. If a hypothesis is continued twice, moved or dropped, only
/// lists change. If most rows belong to dropped hypotheses, the used rows are moved together.
class TransformerDecodingState : public DecodingState {
 public:
  TransformerDecodingState(TransformerDecoder& decoder, const Memory& memory);

 protected:
  Tensor step(const std::vector<Continuation>& continuations, const std::vector<Index>& sources) override;

 private:
  using KeyValue = MultiHeadAttention::KeyValue;
  using Rows = std::vector<std::int32_t>;  ///< of the caches: one per token of a hypothesis
  struct LayerCache {
    KeyValue memory;   ///< of the source tokens
    Tensor key_value;  ///< [capacity, 2 d_model]: keys and values of the tokens read so far
  };

  void make_room(Index rows);
  void drop_unused_rows();
  KeyValue with_history(const LayerCache& cache, const KeyValue& read, Index first_row) const;

  TransformerDecoder& decoder_;
  std::vector<Index> memory_offsets_;
  std::vector<LayerCache> caches_;  ///< one per layer
  std::vector<Rows> hypotheses_;
  Index cached_rows_ = 0;

  // Of the current step:
  Rows history_;  ///< cache rows of all hypotheses, one hypothesis after another
  Segments history_segments_, memory_segments_;
};

TransformerDecodingState::TransformerDecodingState(TransformerDecoder& decoder, const Memory& memory)
    : DecodingState(memory.sources()),
      decoder_(decoder),
      memory_offsets_(memory.offsets),
      hypotheses_(to_size(memory.sources())) {
  for (const DecoderLayer& layer : decoder.stack.layers)
    caches_.push_back({layer.memory_attention.key_value(memory.rows), {}});
}

Tensor TransformerDecodingState::step(const std::vector<Continuation>& continuations,
                                      const std::vector<Index>& sources) {
  std::vector<Rows> continued;
  for (const Continuation& continuation : continuations)
    continued.push_back(hypotheses_[to_size(continuation.parent)]);
  hypotheses_ = std::move(continued);
  drop_unused_rows();

  PackedSequences tokens;
  std::vector<std::int32_t> positions;
  const Index first_row = cached_rows_;
  history_.clear();
  history_segments_.clear();
  memory_segments_.clear();
  for (std::size_t i = 0; i < hypotheses_.size(); ++i) {
    Rows& rows = hypotheses_[i];
    for ([[maybe_unused]] const std::int32_t token : continuations[i].tokens) {
      positions.push_back(static_cast<std::int32_t>(rows.size()));
      rows.push_back(static_cast<std::int32_t>(cached_rows_++));
    }
    const Index begin = tokens.tokens();
    tokens.append(continuations[i].tokens);
    const Index history_begin = to_index(history_.size());
    history_.insert(history_.end(), rows.begin(), rows.end());
    history_segments_.push_back({begin, tokens.tokens(), history_begin, to_index(history_.size())});
    // The hypotheses of one source look at its memory together.
    if (i > 0 && sources[i - 1] == sources[i])
      memory_segments_.back().query_end = tokens.tokens();
    else
      memory_segments_.push_back({begin, tokens.tokens(), memory_offsets_[to_size(sources[i])],
                                  memory_offsets_[to_size(sources[i]) + 1]});
  }
  make_room(cached_rows_);

  Tensor x = decoder_.input(tokens.ids, positions);
  auto cache = caches_.cbegin();
  for (DecoderLayer& layer : decoder_.stack.layers) {
    const auto history = [&](const KeyValue& read) { return with_history(*cache, read, first_row); };
    x = layer.apply(
        x,
        [&](const Tensor& y) {
          return layer.self_attention.self(y, history_segments_, MultiHeadAttention::Mask::causal, history);
        },
        [&](const Tensor& y) { return layer.memory_attention.cross(y, cache->memory, memory_segments_); });
    ++cache;
  }
  return decoder_.stack.final_norm(x);
}

/// Copies the columns of one row.
void copy_columns(const ColumnSlice& to, Index to_row, const ColumnSlice& from, Index from_row) {
  std::copy_n(from.matrix.data() + from_row * from.matrix.size(1) + from.first, from.width,
              to.matrix.data() + to_row * to.matrix.size(1) + to.first);
}

/// Writes the keys and values of the tokens of this step into the cache, from `first_row` on. Returns those
/// of all hypotheses, one hypothesis after another.
MultiHeadAttention::KeyValue TransformerDecodingState::with_history(const LayerCache& cache,
                                                                    const KeyValue& read,
                                                                    Index first_row) const {
  const auto split = [d = decoder_.width()](const Tensor& both) -> KeyValue {
    return {ColumnSlice(both, 0, d), ColumnSlice(both, d, d)};
  };
  const auto [key, value] = split(cache.key_value);
  for (Index row = 0; row < read.key.matrix.size(0); ++row) {
    copy_columns(key, first_row + row, read.key, row);
    copy_columns(value, first_row + row, read.value, row);
  }
  return split(gather(cache.key_value, 0, history_));
}

void TransformerDecodingState::make_room(Index rows) {
  if (caches_.empty()) return;  // a decoder without layers
  const Index capacity = caches_.front().key_value ? caches_.front().key_value.size(0) : 0;
  if (rows <= capacity) return;
  for (LayerCache& cache : caches_) {
    const Tensor larger = Tensor::empty({std::max(rows, 2 * capacity), 2 * decoder_.width()});
    if (cache.key_value) std::copy_n(cache.key_value.data(), cache.key_value.size(), larger.data());
    cache.key_value = larger;
  }
}

/// Moves the used rows together as soon as most cached rows belong to dropped hypotheses.
void TransformerDecodingState::drop_unused_rows() {
  Rows used;
  for (const Rows& rows : hypotheses_) used.insert(used.end(), rows.begin(), rows.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  constexpr Index few = 256;  // not worth the trouble
  if (cached_rows_ < few || cached_rows_ < 2 * to_index(used.size())) return;
  for (LayerCache& cache : caches_) cache.key_value = gather(cache.key_value, 0, used);
  for (Rows& rows : hypotheses_)
    for (std::int32_t& row : rows)
      row = static_cast<std::int32_t>(std::lower_bound(used.begin(), used.end(), row) - used.begin());
  cached_rows_ = to_index(used.size());
}

}  // namespace

std::unique_ptr<DecodingState> TransformerDecoder::begin(const Memory& memory) {
  return std::make_unique<TransformerDecodingState>(*this, memory);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
