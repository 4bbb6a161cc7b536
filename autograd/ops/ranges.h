#pragma once

#include "autograd/kernels/segments.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

// Attention over ranges of keys, pair by pair: scores, then weights, then the weighted sum. Scores and
// weights have a number for each pair of a query and one of its keys, [pairs] in the order of the ranges.
// Gradients of keys need ranges whose groups have no key in common. All throw Error naming the operation and
// the shapes that do not fit.

/// scale * query_i . key_j (Luong et al. 2015, section 3.1, "dot"). query[queries, d], key[rows, d].
Tensor dot_scores(const Tensor& query, const Tensor& key, const KeyRanges& ranges, Real scale = 1);

/// How the scores of a query become its weights. They sum to 1, but for those of sigmoid.
enum class Normaliser {
  softmax,    ///< e^score / sum of e^score
  sparsemax,  ///< the nearest point of the simplex: 0 for scores far below the highest (Martins and Astudillo
              ///< 2016)
  relu,       ///< max(0, score) / sum of max(0, score); equal, without a gradient, if no score is above 0
  /// 1 / (1 + e^-(score - log n)) for a query with n keys, so that equal scores of 0 give weights near 1/n
  /// (Ramapuram et al. 2024). A weight does not depend on the other scores.
  sigmoid
};

/// The weights [pairs] of scores [pairs]. Throws NotFinite for NaN.
Tensor normalise(const Tensor& scores, const KeyRanges& ranges, Normaliser normaliser = Normaliser::softmax);

/// sum_j weights_ij value_j, [queries, d], for value[rows, d].
Tensor weighted_sum(const Tensor& weights, const Tensor& value, const KeyRanges& ranges);

}}  // namespace regard::REGARD_PRECISION
