#pragma once

#include <cstdint>
#include <vector>

#include "transformer/self_attention/transformer_decoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Decoding with caches. The keys and values of the memory are computed once per source and shared by its
/// hypotheses; the keys and values of a hypothesis are computed once per token. A hypothesis is a list of
/// cache rows. So to continue a hypothesis twice, to reorder hypotheses or to drop some changes lists of
/// rows, not the cache. Only when most rows belong to dropped hypotheses, the other rows move together.
class TransformerDecodingState : public DecodingState {
 public:
  TransformerDecodingState(TransformerDecoder& decoder, const Memory& memory);

 protected:
  Tensor step(const std::vector<Continuation>& continuations, const std::vector<Index>& sources) override;

 private:
  using Rows = std::vector<std::int32_t>;  ///< of the caches: one per token of a hypothesis
  struct LayerCache {
    Tensor memory_key_value;  ///< [source tokens, 2 d_model]
    Tensor key_value;         ///< [capacity, 2 d_model]: keys and values of the tokens read so far
  };

  void make_room(Index rows);
  void drop_unused_rows();
  Tensor self_attention(DecoderLayer& layer, const LayerCache& cache, const Tensor& x, Index first_row);
  Tensor memory_attention(DecoderLayer& layer, const LayerCache& cache, const Tensor& x);

  TransformerDecoder& decoder_;
  std::vector<Index> memory_offsets_;
  std::vector<LayerCache> caches_;  ///< one per layer
  std::vector<Rows> hypotheses_;
  Index cached_rows_ = 0;

  // Of the current step:
  Rows history_;  ///< cache rows of all hypotheses, one hypothesis after another
  Segments history_segments_, memory_segments_;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
