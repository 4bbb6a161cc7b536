#pragma once

#include <span>

#include "autograd/ops/ranges.h"

// What the general attention layer adds to the operations of autograd/ops/ranges.h.

namespace regard {

/// Query i looks at the keys whose position in the sentence is at most `radius` away from centres[i]. A
/// centre beyond the sentence counts as the nearest position in it, so every query sees at least one key.
/// Throws Error like make_ranges, without a centre for each query, and for radius < 1; NotFinite for NaN.
KeyRanges keys_near(const Segments& segments, std::span<const double> centres, Index radius);

inline namespace REGARD_PRECISION {

/// v . tanh(query_i + key_j) (Bahdanau et al. 2015, appendix A.1.2). query[queries, d], key[rows, d], v[d].
Tensor additive_scores(const Tensor& query, const Tensor& key, const Tensor& v, const KeyRanges& ranges);

/// weights_ij exp(-(position_j - centre_i)^2 / (2 deviation^2)) (Luong et al. 2015, section 3.2).
/// centre[queries, 1] in positions of the sentence. The weights no longer sum to 1.
Tensor gaussian_weights(const Tensor& weights, const Tensor& centre, Real deviation, const KeyRanges& ranges);

}
}  // namespace regard::REGARD_PRECISION
