#pragma once

// What the forward and the backward of attention share: a block of queries of one head, its scores, and the
// products that make them. For attention.cpp only.
//
// Scores stand transposed, [keys, queries], and the queries are padded to whole vectors: so a vector holds
// the scores of many queries against one key, the softmax runs down the keys with no sum across a vector, and
// a sentence of 14 words costs no loop over 14 numbers, one by one.

#include "autograd/index.h"
#include "autograd/kernels/attention.h"
#include "autograd/kernels/tiled_product.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace {

ConstMatrix rows_of(ConstMatrix columns, Index row, Index first_column) {
  return {columns.data + row * columns.stride + first_column, columns.stride};
}

Matrix rows_of(GradColumns gradient, Index row, Index column) {
  return {gradient.slot.data + row * gradient.stride + column, gradient.stride};
}

Strided plain(ConstMatrix a) { return {a.data, a.stride, 1}; }
Strided transposed(ConstMatrix a) { return {a.data, 1, a.stride}; }

/// C[m, n] = A[m, k] B[k, n] (+ C). Our own product wants whole vectors of columns.
void multiply(Index m, Index n, Index k, Strided a, ConstMatrix b, Matrix c,
              blas::Store how = blas::Store::overwrite) {
  if (n % lanes == 0)
    tiled_product(m, n, k, a, b, c, how);
  else if (a.column == 1)
    blas::gemm_nn(m, n, k, ConstMatrix{a.data, a.row}, b, c, how);
  else
    blas::gemm_tn(m, n, k, ConstMatrix{a.data, a.column}, b, c, how);
}

/// A head of a sentence, and the block of its queries at hand.
struct Block {
  Segment sentence;
  Index head;
  Index first;  ///< row of the first query of the block
  Index queries;
  Index width;  ///< queries, padded
  Index keys;   ///< keys that at least one query of the block may see

  /// With a causal mask the last query sees all keys, the one before it one less, and so on.
  Index visible(Index query, bool causal) const {
    if (!causal) return keys;
    const Index all = sentence.key_end - sentence.key_begin;
    const Index count = all - (sentence.query_end - 1 - (first + query));
    return count > 0 ? count : 0;
  }
};

Block make_block(const Attention& problem, const Segment& sentence, Index head, Index first) {
  const Index left = sentence.query_end - first;
  const Index queries = left < attention_query_block ? left : attention_query_block;
  Block block{
      sentence, head, first, queries, attention_width(queries), sentence.key_end - sentence.key_begin};
  block.keys = block.visible(queries - 1, problem.causal);
  return block;
}

/// The block's part of x, [queries, d_k], as [d_k, width], with zeros for the padding.
void transpose(Real* to, ConstMatrix x, const Attention& problem, const Block& block) {
  for (Index i = 0; i < problem.d_k; ++i) {
    Real* const row = to + i * block.width;
    for (Index query = 0; query < block.queries; ++query) row[query] = x.data[query * x.stride + i];
    for (Index query = block.queries; query < block.width; ++query) row[query] = 0;
  }
}

/// S^T = K Q^T, [keys, width]. `work` takes Q^T.
void multiply_key_query(Real* scores, Real* work, const Attention& problem, const Block& block) {
  const Index column = block.head * problem.d_k;
  transpose(work, rows_of(problem.query, block.first, column), problem, block);
  multiply(block.keys, block.width, problem.d_k,
           plain(rows_of(problem.key, block.sentence.key_begin, column)), ConstMatrix{work, block.width},
           Matrix{scores, block.width});
}

Real attention_scale(const Attention& problem) {
  return static_cast<Real>(1 / __builtin_sqrt(static_cast<double>(problem.d_k)));
}

}  // namespace
}}}  // namespace regard::REGARD_PRECISION::kernels
