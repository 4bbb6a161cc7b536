#pragma once

#include "autograd/kernels/kernel.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// Queries begin .. end of a KeyRanges (autograd/kernels/segments.h): query i has the pairs offsets[i] ..
/// offsets[i + 1] with the keys from row first[i] on.
struct Ranges {
  const Index* first;
  const Index* offsets;
  Index begin, end;
};

/// pairs_ij = scale x_i . key_j (or += if it adds)
REGARD_KERNEL(range_dots, GradSlot pairs, Ranges ranges, const Real* x, const Real* key, Index width,
              Real scale);
/// x_i = scale sum_j pairs_ij key_j (or +=)
REGARD_KERNEL(range_sums, GradSlot x, Ranges ranges, const Real* pairs, const Real* key, Index width,
              Real scale);
/// key_j += scale sum_i pairs_ij x_i
REGARD_KERNEL(range_spread, Real* key, Ranges ranges, const Real* pairs, const Real* x, Index width,
              Real scale);

/// weights_ij = e^(scores_ij) / sum over the keys of query i
REGARD_KERNEL(range_softmax_forward, Real* weights, Ranges ranges, const Real* scores);
/// dscores = weights (dweights - sum_j dweights_j weights_j)
REGARD_KERNEL(range_softmax_backward, GradSlot dscores, Ranges ranges, const Real* dweights,
              const Real* weights);

/// weights_ij = 1 / (1 + e^-(scores_ij - log n)) for the n keys of query i
REGARD_KERNEL(range_sigmoid_forward, Real* weights, Ranges ranges, const Real* scores);
/// dscores = dweights weights (1 - weights)
REGARD_KERNEL(range_sigmoid_backward, GradSlot dscores, Ranges ranges, const Real* dweights,
              const Real* weights);

}}}  // namespace regard::REGARD_PRECISION::kernels
