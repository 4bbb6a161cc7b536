#include "transformer/decoding.h"

#include <algorithm>

#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/ops/shapes.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

IncrementalDecoder::IncrementalDecoder(Transformer& model, const PackedSequences& source)
    : model_(model), source_offsets_(source.offsets) {
  const NoGrad no_grad;
  const Tensor memory = model.encode(source);
  for (const DecoderLayer& layer : model.decoder.layers)
    layers_.push_back({layer.multihead_attn.project_key_value(memory), {}});
  for (Index sentence = 0; sentence < source.sentences(); ++sentence) hypotheses_.push_back({sentence, {}});
}

std::vector<IncrementalDecoder::Hypothesis> IncrementalDecoder::continue_hypotheses(
    const std::vector<Continuation>& continuations) const {
  std::vector<Hypothesis> next;
  for (const Continuation& continuation : continuations) {
    if (continuation.parent < 0 || continuation.parent >= to_index(hypotheses_.size()))
      fail("decoding: there is no hypothesis {} to continue, only {}", continuation.parent,
           hypotheses_.size());
    next.push_back(hypotheses_[to_size(continuation.parent)]);
    if (next.size() > 1 && next.back().sentence < next[next.size() - 2].sentence)
      fail("decoding: sentence {} comes after sentence {}; give continuations in the order of sentences",
           next.back().sentence, next[next.size() - 2].sentence);
  }
  return next;
}

Tensor IncrementalDecoder::advance(const std::vector<Continuation>& continuations) {
  const Span span("IncrementalDecoder::advance", Span::Kind::other);  // its own time: the caches
  const NoGrad no_grad;
  hypotheses_ = continue_hypotheses(continuations);
  drop_unused_rows();

  PackedSequences tokens;
  std::vector<std::int32_t> positions;
  const Index first_row = cached_rows_;
  history_.clear();
  history_segments_.clear();
  memory_segments_.clear();
  for (std::size_t i = 0; i < hypotheses_.size(); ++i) {
    Hypothesis& hypothesis = hypotheses_[i];
    for ([[maybe_unused]] const std::int32_t token : continuations[i].tokens) {
      positions.push_back(static_cast<std::int32_t>(hypothesis.rows.size()));
      hypothesis.rows.push_back(static_cast<std::int32_t>(cached_rows_++));
    }
    const Index begin = tokens.tokens();
    tokens.append(continuations[i].tokens);
    const auto history_begin = to_index(history_.size());
    history_.insert(history_.end(), hypothesis.rows.begin(), hypothesis.rows.end());
    history_segments_.push_back({begin, tokens.tokens(), history_begin, to_index(history_.size())});
    // The hypotheses of a sentence look at its memory together.
    const auto sentence = to_size(hypothesis.sentence);
    if (i > 0 && hypotheses_[i - 1].sentence == hypothesis.sentence)
      memory_segments_.back().query_end = tokens.tokens();
    else
      memory_segments_.push_back(
          {begin, tokens.tokens(), source_offsets_[sentence], source_offsets_[sentence + 1]});
  }
  make_room(cached_rows_);

  Tensor x = model_.embed_target(tokens.ids, positions);
  for (std::size_t i = 0; i < layers_.size(); ++i)
    x = model_.decoder.layers[i].apply(
        x, [&](const Tensor& input) { return self_attention(i, input, first_row); },
        [&](const Tensor& input) { return cross_attention(i, input); });
  return model_.decoder.finish(x);
}

Tensor IncrementalDecoder::self_attention(std::size_t layer, const Tensor& x, Index first_row) {
  MultiHeadAttention& attention = model_.decoder.layers[layer].self_attn;
  const Tensor projected = attention.project_query_key_value(x);
  const Tensor& cache = layers_[layer].cache;
  const Index d = attention.d_model();
  for (Index row = 0; row < x.size(0); ++row)
    std::copy_n(projected.data() + row * 3 * d + d, 2 * d, cache.data() + (first_row + row) * 2 * d);
  const Tensor history = gather(cache, 0, history_);
  return attention.attend(ColumnSlice(projected, 0, d), ColumnSlice(history, 0, d),
                          ColumnSlice(history, d, d), history_segments_, MultiHeadAttention::Mask::causal);
}

Tensor IncrementalDecoder::cross_attention(std::size_t layer, const Tensor& x) {
  MultiHeadAttention& attention = model_.decoder.layers[layer].multihead_attn;
  const Tensor& key_value = layers_[layer].memory_key_value;
  const Index d = attention.d_model();
  return attention.attend(attention.project_query(x), ColumnSlice(key_value, 0, d),
                          ColumnSlice(key_value, d, d), memory_segments_, MultiHeadAttention::Mask::none);
}

void IncrementalDecoder::make_room(Index rows) {
  const Index capacity = layers_.front().cache ? layers_.front().cache.size(0) : 0;
  if (rows <= capacity) return;
  for (Layer& layer : layers_) {
    const Index columns = layer.memory_key_value.size(1);
    const Tensor larger = Tensor::empty({std::max(rows, 2 * capacity), columns});
    if (layer.cache) std::copy_n(layer.cache.data(), layer.cache.size(), larger.data());
    layer.cache = larger;
  }
}

/// Once most cached rows belong to hypotheses that were given up, the others move together.
void IncrementalDecoder::drop_unused_rows() {
  std::vector<std::int32_t> used;
  for (const Hypothesis& hypothesis : hypotheses_)
    used.insert(used.end(), hypothesis.rows.begin(), hypothesis.rows.end());
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  constexpr Index few = 256;  // not worth the trouble
  if (cached_rows_ < few || cached_rows_ < 2 * to_index(used.size())) return;
  for (Layer& layer : layers_) layer.cache = gather(layer.cache, 0, used);
  for (Hypothesis& hypothesis : hypotheses_)
    for (std::int32_t& row : hypothesis.rows)
      row = static_cast<std::int32_t>(std::ranges::lower_bound(used, row) - used.begin());
  cached_rows_ = to_index(used.size());
}

}}}  // namespace regard::REGARD_PRECISION::transformer
