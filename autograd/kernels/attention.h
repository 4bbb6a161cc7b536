#pragma once

#include <cstdint>

#include "autograd/kernels/kernel.h"
#include "autograd/segments.h"

namespace regard::inline REGARD_PRECISION::kernels {

/// Columns of a matrix in memory: `data` is the first row's first column, `stride` leads to the next row.
struct Columns {
  const Real* data;
  std::int64_t stride;
};
struct GradColumns {
  GradSlot slot;  ///< slot.data is the first row's first column; null if no gradient is wanted
  std::int64_t stride;
};

/// Attention of every sentence and head over packed rows. Head h owns columns h d_head .. (h+1) d_head.
struct Attention {
  Columns query, key, value;
  const Segment* segments;
  std::int64_t segment_count;
  std::int64_t heads;
  std::int64_t d_head;
  bool causal;
  Dropout dropout;
  std::int64_t tasks_at_a_time;  ///< heads of sentences that a thread takes together
  Real* scratch;                 ///< attention_scratch(...) numbers for each worker
  std::int64_t scratch_stride;   ///< from one worker's to the next
};

/// Queries handled at a time: a sentence of n queries and m keys needs 64 m numbers for its scores, not n m.
constexpr std::int64_t attention_query_block = 64;
/// Rows of scores are padded to a multiple of this.
constexpr std::int64_t attention_row_unit = 16;

/// Scratch numbers for a sentence: scores, their gradients and one row of dropout factors.
constexpr std::int64_t attention_scratch(const Segment& sentence) {
  const std::int64_t queries = sentence.query_end - sentence.query_begin;
  const std::int64_t keys = sentence.key_end - sentence.key_begin;
  const std::int64_t rows = queries < attention_query_block ? queries : attention_query_block;
  return (2 * rows + 1) * ((keys + attention_row_unit - 1) / attention_row_unit * attention_row_unit);
}

/// out = softmax(Q K^T / sqrt(d_head)) V (Vaswani et al. 2017, eq. 1), the softmax under dropout.
/// log_sum_exp[query rows, heads] is saved for the backward. `weights`, if not null, receives the softmax
/// before dropout: for each sentence [heads, queries, keys], one sentence after another.
REGARD_KERNEL(attention_forward, Real* out, Real* log_sum_exp, Real* weights, Attention problem);

/// The scores are computed again, P = e^(scores - log_sum_exp), rather than kept. With dO the output's
/// gradient and M the dropout factors:
///   dV = (P M)^T dO,  dP = M (dO V^T),  dS = P (dP - rowsum(P dP)) / sqrt(d_head),  dQ = dS K,  dK = dS^T Q.
REGARD_KERNEL(attention_backward, GradColumns dquery, GradColumns dkey, GradColumns dvalue, const Real* dout,
              const Real* log_sum_exp, Attention problem);

}  // namespace regard::inline REGARD_PRECISION::kernels
