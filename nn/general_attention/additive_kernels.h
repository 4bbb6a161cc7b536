#pragma once

#include "autograd/kernels/ranges.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// scores_ij = v . tanh(query_i + key_j) (Bahdanau et al. 2015, appendix A.1.2, whose query and key are the
/// products W_a s and U_a h)
REGARD_KERNEL(range_additive_forward, Real* scores, Ranges ranges, const Real* query, const Real* key,
              const Real* v, Index width);
/// With g = dscores_ij and t = tanh(query_i + key_j), which is computed again: dpre = g v (1 - t^2);
/// dquery_i = sum_j dpre, dkey_j += sum_i dpre, and dv_i = sum_j g t, one row for each query.
REGARD_KERNEL(range_additive_backward, Real* dquery, Real* dkey, Real* dv, Ranges ranges, const Real* dscores,
              const Real* query, const Real* key, const Real* v, Index width);

}}}  // namespace regard::REGARD_PRECISION::kernels
