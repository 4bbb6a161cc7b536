#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/kernels/segments.h"
#include "autograd/machine/real.h"
#include "autograd/tensor.h"

// Scaled dot-product attention over packed sentences, all heads at once.

namespace regard { inline namespace REGARD_PRECISION {

/// Columns first .. first + width of a matrix, without a copy. So one product can compute queries, keys and
/// values side by side, [tokens, 3 d_model], and attention reads them in place. A Tensor converts to the
/// slice of all its columns.
struct ColumnSlice {
  ColumnSlice(const Tensor& whole);  // NOLINT: a tensor is a slice of itself
  ColumnSlice(const Tensor& whole, Index first_column, Index columns);

  Tensor matrix;
  Index first;
  Index width;
};

struct AttentionOptions {
  Index heads = 1;
  /// With n queries and m keys, query i sees keys 0 .. m-n+i, the last included. In self-attention these are
  /// the query's own position and all before it. The weights of the other keys are exactly 0, and so is every
  /// gradient through them.
  bool causal = false;
  /// On the attention weights.
  DropoutMask dropout = {};
  /// The factor of Q K^T; 0: 1 / sqrt(d_k).
  Real scale = 0;

  // Terms that depend on the distance of key and query. The last query of a sentence has the position of the
  // last key, as with the causal mask.

  /// ALiBi: the score of a key is lowered by slopes[head] |distance| (Press et al. 2022, section 3). A slope
  /// for each head; empty: none. The slopes have no gradient.
  std::vector<Real> slopes = {};
  /// Relative positions (Shaw et al. 2018, eq. 4 and 5): [query rows heads, 2 radius + 1], with row
  /// t heads + h for query row t and head h. Number radius + clip(distance, -radius, radius) of it is added
  /// to q . k, before the scale. Empty: none.
  Tensor relative = {};
};

/// Scaled dot-product attention, softmax(scale Q K^T) V with scale = 1 / sqrt(d_k) and d_k = width / heads
/// (Vaswani et al. 2017, eq. 1), for every sentence of a packed batch and every head: query[query rows,
/// width], key and value[key rows, width]. Head h reads columns h d_k .. (h+1) d_k. Entry i of `segments`
/// says which query rows look at which key rows; both ascend without overlapping. A query with no key to look
/// at gives zeros. autograd/reference/attention.cpp computes the same in plain loops. Throws Error naming the
/// shapes when they do not fit, when heads does not divide the width, and when slices of one matrix overlap
/// without being the same columns.
Tensor attention(const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
                 const Segments& segments, const AttentionOptions& options);

/// The softmax of each sentence, [heads, queries, keys], without dropout. It has no gradient.
std::vector<Tensor> attention_weights(const ColumnSlice& query, const ColumnSlice& key,
                                      const Segments& segments, const AttentionOptions& options);

/// Rotary positions (Su et al. 2021, eq. 34) for the first `turned` columns of x[rows, width], heads of d_k
/// columns; the other columns stay. In each head, the pair of columns 2i and 2i + 1 of a row turns by the
/// angle a_i of the position of that row. table[positions, d_k] has sin a_i in
/// column 2i and cos a_i in column 2i + 1. It is a constant. The product of a turned query and a turned key
/// depends on the difference of their positions alone.
/// Throws Error unless d_k is even and divides `turned`, and for a position that the table does not have.
Tensor rotary(const Tensor& x, Index turned, const Tensor& table, std::span<const std::int32_t> positions);

}}  // namespace regard::REGARD_PRECISION
