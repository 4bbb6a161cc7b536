#include "autograd/kernels/rotary.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace REGARD_SIMD_NAMESPACE {

namespace {
/// Turns the pairs of one head. There are two loops because the one that overwrites must not read.
void turn_pairs(GradSlot y, const Real* x, const Real* table, Index d_k, Real sign) {
  if (y.add)
    for (Index i = 0; i < d_k; i += 2) {
      const Real sine = sign * table[i], cosine = table[i + 1];
      y.data[i] += x[i] * cosine - x[i + 1] * sine;
      y.data[i + 1] += x[i] * sine + x[i + 1] * cosine;
    }
  else
    for (Index i = 0; i < d_k; i += 2) {
      const Real sine = sign * table[i], cosine = table[i + 1];
      y.data[i] = x[i] * cosine - x[i + 1] * sine;
      y.data[i + 1] = x[i] * sine + x[i + 1] * cosine;
    }
}
}  // namespace

void rotary_rows(GradSlot y, Index y_stride, ConstMatrix x, Index first, Index last, Index heads, Index d_k,
                 const Real* table, const std::int32_t* positions, Turn turn) noexcept {
  const Real sign = turn == Turn::forward ? 1 : -1;
  for (Index row = first; row < last; ++row)
    for (Index head = 0; head < heads; ++head)
      turn_pairs({y.data + row * y_stride + head * d_k, y.add}, x.data + row * x.stride + head * d_k,
                 table + positions[row] * d_k, d_k, sign);
}

}  // namespace REGARD_SIMD_NAMESPACE
}}}  // namespace regard::REGARD_PRECISION::kernels
