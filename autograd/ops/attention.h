#pragma once

#include <vector>

#include "autograd/real.h"
#include "autograd/segments.h"
#include "autograd/tensor.h"

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
};

/// Scaled dot-product attention, softmax(Q K^T / sqrt(d_k)) V with d_k = width / heads (Vaswani et al. 2017,
/// eq. 1), for every sentence of a packed batch and every head: query[query rows, width], key and
/// value[key rows, width]. Head h reads columns h d_k .. (h+1) d_k. Entry i of `segments` says which query
/// rows look at which key rows; both ascend without overlapping. A query with no key to look at gives zeros.
/// autograd/reference/attention.cpp computes the same in plain loops.
/// Throws Error naming the shapes when they do not fit, when heads does not divide the width, and when slices
/// of one matrix overlap without being the same columns.
Tensor attention(const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
                 const Segments& segments, const AttentionOptions& options);

/// The weights softmax(Q K^T / sqrt(d_k)) of each sentence, [heads, queries, keys], without dropout. They
/// have no gradient.
std::vector<Tensor> attention_weights(const ColumnSlice& query, const ColumnSlice& key,
                                      const Segments& segments, const AttentionOptions& options);

}}  // namespace regard::REGARD_PRECISION
