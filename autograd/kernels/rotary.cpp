#include "autograd/kernels/rotary.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

namespace {
/// y = x turned, for one head.
void turn_head(Real* __restrict y, const Real* __restrict x, const Real* __restrict table, Index d_k,
               Real sign) {
#pragma omp simd
  for (Index i = 0; i < d_k; i += 2) {
    const Real sine = sign * table[i], cosine = table[i + 1];
    y[i] = x[i] * cosine - x[i + 1] * sine;
    y[i + 1] = x[i] * sine + x[i + 1] * cosine;
  }
}

void add_turned_head(Real* __restrict y, const Real* __restrict x, const Real* __restrict table, Index d_k,
                     Real sign) {
#pragma omp simd
  for (Index i = 0; i < d_k; i += 2) {
    const Real sine = sign * table[i], cosine = table[i + 1];
    y[i] += x[i] * cosine - x[i + 1] * sine;
    y[i + 1] += x[i] * sine + x[i + 1] * cosine;
  }
}
}  // namespace

void rotary_rows(GradSlot y, const Real* x, const RotaryRows& shape, Index first, Index last,
                 const Real* table, const std::int32_t* positions, Turn turn) noexcept {
  const auto [width, turned, d_k] = shape;
  const Real sign = turn == Turn::forward ? 1 : -1;
  const auto turn_one = y.add ? add_turned_head : turn_head;
  for (Index row = first; row < last; ++row) {
    const Real* const from = x + row * width;
    Real* const to = y.data + row * width;
    for (Index column = 0; column < turned; column += d_k)
      turn_one(to + column, from + column, table + positions[row] * d_k, d_k, sign);
    for (Index column = turned; column < width; ++column)
      to[column] = y.add ? to[column] + from[column] : from[column];
  }
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
