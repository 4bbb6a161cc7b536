#include "nn/general_attention/additive_kernels.h"

#include "autograd/kernels/range_pairs.h"
#include "autograd/kernels/squash.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

void range_additive_forward(Real* scores, Ranges ranges, const Real* query, const Real* key, const Real* v,
                            Index width) noexcept {
  for_each_pair(ranges, [=](Index i, Index pair, Index j) {
    const Real *const q = query + i * width, *const k = key + j * width;
    Real score = 0;
#pragma omp simd reduction(+ : score)
    for (Index c = 0; c < width; ++c) score += v[c] * hyperbolic_tangent(q[c] + k[c]);
    scores[pair] = score;
  });
}

void range_additive_backward(Real* dquery, Real* dkey, Real* dv, Ranges ranges, const Real* dscores,
                             const Real* query, const Real* key, const Real* v, Index width) noexcept {
  set_to_zero(dquery + ranges.begin * width, (ranges.end - ranges.begin) * width);
  set_to_zero(dv + ranges.begin * width, (ranges.end - ranges.begin) * width);
  for_each_pair(ranges, [=](Index i, Index pair, Index j) {
    const Real *const q = query + i * width, *const k = key + j * width;
    Real *const dq = dquery + i * width, *const dk = dkey + j * width, *const dv_i = dv + i * width;
    const Real g = dscores[pair];
#pragma omp simd
    for (Index c = 0; c < width; ++c) {
      const Real t = hyperbolic_tangent(q[c] + k[c]);
      const Real dpre = g * v[c] * (1 - t * t);
      dq[c] += dpre;
      dk[c] += dpre;
      dv_i[c] += g * t;
    }
  });
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
