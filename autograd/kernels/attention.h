#pragma once

#include "autograd/index.h"
#include "autograd/kernels/kernel.h"
#include "autograd/kernels/matrix.h"
#include "autograd/segments.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// Where the gradient of some columns of a matrix goes.
struct GradColumns {
  GradSlot slot;  ///< slot.data is the first row's first column; null if no gradient is wanted
  Index stride;   ///< to the next row
};

/// Attention of every sentence and head over packed rows. Head h owns columns h d_k .. (h+1) d_k.
struct Attention {
  ConstMatrix query, key, value;  ///< `data` is the first row's first column
  const Segment* segments;
  Index segment_count;
  Index heads;
  Index d_k;
  Index query_rows;  ///< of the whole query matrix
  bool causal;
  Dropout dropout;
  Index tasks_at_a_time;  ///< heads of sentences that a thread takes together
  Real* scratch;          ///< attention_scratch(...) numbers for each worker
  Index scratch_stride;   ///< from one worker's to the next
};

/// Of each query's softmax, saved for the backward: [heads, query rows].
struct AttentionStatistics {
  Real* largest;      ///< score
  Real* inverse_sum;  ///< 1 / sum over the keys of e^(scale (score - largest))
};

/// Queries handled at a time: a sentence of n queries and m keys needs 64 m numbers for its scores, not n m.
constexpr Index attention_query_block = 64;

/// Queries of a block, padded to whole vectors of any instruction set.
constexpr Index attention_width(Index queries) { return (queries + 15) / 16 * 16; }

/// Scratch numbers for a sentence: Q^T, and the scores, their gradients and the dropped probabilities.
constexpr Index attention_scratch(const Segment& sentence, Index d_k) {
  const Index queries = sentence.query_end - sentence.query_begin;
  const Index keys = sentence.key_end - sentence.key_begin;
  return (d_k + 3 * keys) *
         attention_width(queries < attention_query_block ? queries : attention_query_block);
}

/// out = softmax(Q K^T / sqrt(d_k)) V (Vaswani et al. 2017, eq. 1), the softmax under dropout.
/// `weights`, if not null, receives the softmax before dropout: for each sentence [heads, queries, keys], one
/// sentence after another.
REGARD_KERNEL(attention_forward, Real* out, AttentionStatistics statistics, Real* weights, Attention problem);

/// P is computed again from the statistics rather than kept. With dO the output's gradient and M the dropout
/// factors:
///   dV = (P M)^T dO,  dP = M (dO V^T),  dS = P (dP - rowsum(P dP)) / sqrt(d_k),  dQ = dS K,  dK = dS^T Q.
REGARD_KERNEL(attention_backward, GradColumns dquery, GradColumns dkey, GradColumns dvalue, const Real* dout,
              AttentionStatistics statistics, Attention problem);

}}}  // namespace regard::REGARD_PRECISION::kernels
