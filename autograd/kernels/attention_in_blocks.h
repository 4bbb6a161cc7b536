#pragma once

#include "autograd/kernels/kernel.h"
#include "autograd/kernels/segments.h"
#include "autograd/machine/real.h"

// Attention of every sentence and head over packed rows, in blocks of queries. For one head of one sentence,
// with M the dropout factors (autograd/reference/attention.cpp has the same in plain loops):
//
//   S = Q K^T        P = softmax(scale S), row by row        O = (P M) V
//   dV = (P M)^T dO   dP = M (dO V^T)   dS = scale P (dP - rowsum(P dP))   dQ = dS K   dK = dS^T Q
//
// P M, M (dO V^T) and P (...) are products element by element; the others are matrix products. Terms of the
// distance between key and query are added to S (autograd/kernels/attention_distances.h).

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// The work, for the forward and the backward. Head h owns columns h d_k .. (h+1) d_k.
struct AttentionArguments {
  ConstMatrix query, key, value;  ///< their gradients have the same strides
  const Segment* segments;
  Index segment_count;
  Index heads;
  Index d_k;
  bool causal;
  DropoutMask dropout;
  Real scale;            ///< of the scores
  const Real* slopes;    ///< ALiBi: one for each head; null: none
  ConstMatrix relative;  ///< relative scores, [query rows, heads (2 radius + 1)]; null: none
  Index radius;
  /// [2, heads, statistics_size], written by the forward and read by the backward: a number near the largest
  /// score of each query, and then 1 / sum over its keys of e^(scale (score - largest)).
  Real* statistics;
  Index statistics_size;  ///< of a head
  Index tasks_at_a_time;  ///< a thread takes so many tasks together; a task is one head of one sentence
  Real* scratch;          ///< attention_scratch(...) numbers for each worker
  Index scratch_stride;   ///< from one worker's to the next
};

/// Queries handled at a time: a sentence of n queries and m keys needs 64 m numbers for its scores, not n m.
constexpr Index attention_query_block = 64;

/// Queries of a block, padded to whole vectors of any instruction set.
constexpr Index attention_width(Index queries) { return round_up(queries, 16); }

/// The place of a query in a row of the statistics. Behind each sentence is room for its padding. With the
/// numbers of all queries and sentences: the length of the row.
constexpr Index attention_statistics(Index query, Index sentence) { return query + 16 * sentence; }

/// Scratch numbers for a sentence: Q^T, and the scores, their gradients and the dropped probabilities.
constexpr Index attention_scratch(const Segment& sentence, Index d_k) {
  const Index queries = sentence.query_end - sentence.query_begin;
  const Index keys = sentence.key_end - sentence.key_begin;
  return (d_k + 3 * keys) *
         attention_width(queries < attention_query_block ? queries : attention_query_block);
}

/// out = softmax(scale Q K^T) V (Vaswani et al. 2017, eq. 1), the softmax under dropout.
/// `weights`, if not null, receives the softmax before dropout: for each sentence [heads, queries, keys], one
/// sentence after another.
REGARD_KERNEL(attention_forward, Real* out, Real* weights, AttentionArguments problem);

/// Places for the gradients. Those whose slot is empty are left out. A slot begins at the first row's first
/// column, and its rows are as far apart as those of query, key, value or relative.
struct AttentionSlots {
  GradSlot query, key, value, relative;
};

/// Writes the gradients. P is not stored but computed again from the statistics.
REGARD_KERNEL(attention_backward, AttentionSlots slots, const Real* dout, AttentionArguments problem);

}}}  // namespace regard::REGARD_PRECISION::kernels
