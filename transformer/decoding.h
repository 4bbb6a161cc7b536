#pragma once

#include <cstdint>
#include <vector>

#include "autograd/index.h"
#include "transformer/model.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// What a decoder reads next: the tokens, after the hypothesis that they continue.
struct Continuation {
  /// Number of the sentence at the first call, of the continued row of the last call after it.
  Index parent;
  std::vector<std::int32_t> tokens;
};

/// Decodes a batch of sentences step by step. Keys and values are kept: those of the memory are computed once
/// a sentence and shared by its hypotheses, those of the hypotheses once a token. A hypothesis is a list of
/// cache rows, so continuing one twice, reordering or dropping some moves no cached numbers; only when
/// most rows belong to hypotheses that were given up, the others move together.
///
/// Records no gradients. The model must outlive it and be in evaluation mode.
class IncrementalDecoder {
 public:
  IncrementalDecoder(Transformer& model, const PackedSequences& source);

  /// Feeds each continuation's tokens and returns the decoder's output for all of them, packed
  /// [tokens, d_model]; continuation i is hypothesis i of the next call. Continuations of one sentence must
  /// stand together, sentences ascending. Throws Error otherwise, or for a parent that does not exist.
  Tensor advance(const std::vector<Continuation>& continuations);

 private:
  struct Hypothesis {
    Index sentence;
    std::vector<std::int32_t> rows;  ///< of the caches, one a token
  };
  struct Layer {
    Tensor memory_key_value;  ///< [source tokens, 2 d_model]
    Tensor cache;             ///< [capacity, 2 d_model]: keys and values of tokens read so far
  };

  std::vector<Hypothesis> continue_hypotheses(const std::vector<Continuation>& continuations) const;
  void make_room(Index rows);
  void drop_unused_rows();
  Tensor self_attention(std::size_t layer, const Tensor& x, Index first_row);
  Tensor cross_attention(std::size_t layer, const Tensor& x);

  Transformer& model_;
  std::vector<Index> source_offsets_;
  std::vector<Layer> layers_;
  std::vector<Hypothesis> hypotheses_;
  Index cached_rows_ = 0;

  // Of the current call:
  std::vector<std::int32_t> history_;  ///< cache rows of all hypotheses, one after another
  Segments history_segments_, memory_segments_;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
