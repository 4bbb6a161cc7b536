#pragma once

// The parts that the forward and the backward of attention share: one head of a sentence, a block of its
// queries, their scores, the products that compute them, and dropout. For attention_in_blocks.cpp only.
//
// Scores are stored transposed, [keys, queries], and the queries are padded to whole vectors. So a vector
// holds the scores of many queries with one key. The softmax runs down the keys and needs no sum across a
// vector, and a short sentence, which fills no vector with its keys, needs no loop over single numbers.

#include "autograd/kernels/attention_in_blocks.h"
#include "autograd/kernels/tiled_product.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace {

/// `matrix` from this row and column on.
ConstMatrix from(ConstMatrix matrix, Index row, Index column) {
  return {matrix.data + row * matrix.stride + column, matrix.stride};
}

/// The gradient from this row and column on.
Matrix gradient_from(GradSlot gradient, Index stride, Index row, Index column) {
  return {gradient.data + row * stride + column, stride};
}

/// C[m, n] = A B (+ C) for B[k, n] and A[m, k], or A[k, m]^T. Our own product needs whole vectors of columns.
void multiply(blas::Transposed transposed, Index m, Index n, Index k, ConstMatrix a, ConstMatrix b, Matrix c,
              blas::Store how = blas::Store::overwrite) {
  const bool a_transposed = transposed == blas::Transposed::a;
  if (n % lanes == 0)
    tiled_product(m, n, k, a.data, a_transposed ? 1 : a.stride, a_transposed ? a.stride : 1, b, c, how);
  else
    blas::gemm(transposed, m, n, k, a, b, c, how);
}

/// Calls run(sentence, head, scratch) for each head of each sentence, on all threads.
template <class Run>
void for_each_task(const AttentionArguments& problem, const Run& run) {
  parallel_for(problem.segment_count * problem.heads, problem.tasks_at_a_time,
               [&](Index begin, Index end, int worker) {
                 for (Index task = begin; task < end; ++task)
                   run(problem.segments[task / problem.heads], task % problem.heads,
                       problem.scratch + worker * problem.scratch_stride);
               });
}

/// A block of queries of a task.
struct Block {
  Segment sentence;
  Index head;
  Index first;  ///< row of the first query of the block
  Index queries;
  Index width;                    ///< queries, padded
  Index keys;                     ///< keys that at least one query of the block may see
  ConstMatrix query, key, value;  ///< the block's queries, and the sentence's keys and values
  Real *largest, *inverse_sum;    ///< the block's part of the statistics, [width] each

  /// The key with the position of a query of the block. The last query of the sentence has the position of
  /// the last key.
  Index position(Index i) const {
    const Index all = sentence.key_end - sentence.key_begin;
    return all - (sentence.query_end - (first + i));
  }
};

Block make_block(const AttentionArguments& problem, const Segment& sentence, Index head, Index first) {
  const Index left = sentence.query_end - first, column = head * problem.d_k;
  const Index queries = left < attention_query_block ? left : attention_query_block;
  Real* const largest = problem.statistics + head * problem.statistics_size +
                        attention_statistics(first, &sentence - problem.segments);
  Block block{sentence,
              head,
              first,
              queries,
              attention_width(queries),
              sentence.key_end - sentence.key_begin,
              from(problem.query, first, column),
              from(problem.key, sentence.key_begin, column),
              from(problem.value, sentence.key_begin, column),
              largest,
              largest + problem.heads * problem.statistics_size};
  // With a causal mask the last query of the sentence sees all keys, the one before it one key less, and so
  // on.
  const Index visible = block.position(queries - 1) + 1;
  if (problem.causal) block.keys = visible > 0 ? visible : 0;
  return block;
}

/// The block's part of x, [queries, d_k], as [d_k, width], with zeros for the padding.
void transpose(Real* to, ConstMatrix x, const AttentionArguments& problem, const Block& block) {
  for (Index i = 0; i < problem.d_k; ++i) {
    Real* const row = to + i * block.width;
    for (Index query = 0; query < block.queries; ++query) row[query] = x.data[query * x.stride + i];
    for (Index query = block.queries; query < block.width; ++query) row[query] = 0;
  }
}

/// S^T = K Q^T, [keys, width]. `work` receives Q^T. The scale is not in it: the exponential applies it.
void multiply_key_query(Real* scores, Real* work, const AttentionArguments& problem, const Block& block) {
  transpose(work, block.query, problem, block);
  multiply(blas::Transposed::none, block.keys, block.width, problem.d_k, block.key,
           ConstMatrix{work, block.width}, Matrix{scores, block.width});
}

/// Calls use(element, factor) for all [keys, width] numbers of a block under dropout. A tile of 128 random
/// numbers serves 16 queries and 8 keys. Let b be the first row of the sentence. The random number of query t
/// and key s is the one in row (b + t - t % 16) heads + head and column 16 s + t % 16 of the generator. So it
/// does not depend on how the sentence is cut into blocks.
template <class Use>
void for_each_factor(const AttentionArguments& problem, const Block& block, const Use& use) {
  constexpr Index group = 16, keys_of_tile = dropout_tile / group;
  for (Index query = 0; query < block.width; query += group) {
    const auto row = static_cast<std::uint64_t>((block.first + query) * problem.heads + block.head);
    for (Index first = 0; first < block.keys; first += keys_of_tile) {
      Real factors[dropout_tile];
      dropout_factors(factors, problem.dropout, row, static_cast<std::uint64_t>(first / keys_of_tile));
      const Index count = block.keys - first < keys_of_tile ? block.keys - first : keys_of_tile;
      for (Index key = 0; key < count; ++key) {
        const Index element = (first + key) * block.width + query;
#pragma omp simd
        for (Index i = 0; i < group; ++i) use(element + i, factors[key * group + i]);
      }
    }
  }
}

}}}}  // namespace regard::REGARD_PRECISION::kernels
