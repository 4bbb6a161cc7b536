#include "autograd/kernels/few_rows.h"

#include "autograd/kernels/tiled_product.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

namespace {

/// So much of a few rows of B stays in the first-level cache while all rows of A read it.
constexpr Index most_depth = 1024;
/// Sums that stay in registers, beside the numbers from which they are made.
constexpr int columns_together = 4, rows_together = registers == 32 ? 6 : 3;

/// sums[i] = the sum of the numbers of x[i], for four vectors.
inline void sum_four(Real* sums, const Vector* x) {
  constexpr Index count = lanes < 4 ? 1 : lanes / 4;
  Four rows[4];
  REGARD_UNROLL for (int i = 0; i < 4; ++i) {
    Four parts[count] = {};
    __builtin_memcpy(parts, &x[i], sizeof x[i]);
    REGARD_UNROLL for (Index half = count / 2; half > 0; half /= 2) {
      REGARD_UNROLL for (Index part = 0; part < half; ++part) parts[part] += parts[part + half];
    }
    rows[i] = parts[0];
  }
  transpose(rows);
  rows[0] = (rows[0] + rows[1]) + (rows[2] + rows[3]);
  __builtin_memcpy(sums, rows, sizeof rows[0]);
}

/// The first `count` numbers, and zeros.
inline Vector load_part(const Real* from, Index count) {
  Real numbers[lanes] = {};
  for (Index i = 0; i < count; ++i) numbers[i] = from[i];
  return load(numbers);
}

/// C[rows, columns] = A B^T (+ C)
template <int rows, int columns>
inline void dot_products(Index depth, ConstMatrix a, ConstMatrix b, Matrix c, blas::Store how) {
  Vector sum[rows][columns] = {};
  const auto multiply = [&](Index k, const auto& load_numbers) __attribute__((always_inline)) {
    Vector of_a[rows];
    REGARD_UNROLL for (int i = 0; i < rows; ++i) of_a[i] = load_numbers(a.data + i * a.stride + k);
    REGARD_UNROLL for (int j = 0; j < columns; ++j) {
      const Vector of_b = load_numbers(b.data + j * b.stride + k);
      REGARD_UNROLL for (int i = 0; i < rows; ++i) sum[i][j] += of_a[i] * of_b;
    }
  };
  Index k = 0;
  for (; k + lanes <= depth; k += lanes) multiply(k, [](const Real* from) { return load(from); });
  if (k < depth) multiply(k, [=](const Real* from) { return load_part(from, depth - k); });
  REGARD_UNROLL for (int i = 0; i < rows; ++i) {
    REGARD_UNROLL for (int j = 0; j < columns; j += 4) {
      Vector four[4] = {};
      REGARD_UNROLL for (int l = 0; l < 4 && l < columns; ++l) four[l] = sum[i][j + l];
      Real sums[4];
      sum_four(sums, four);
      Real* const to = c.data + i * c.stride + j;
      REGARD_UNROLL for (int l = 0; l < 4 && l < columns; ++l) to[l] =
          how == blas::Store::add ? to[l] + sums[l] : sums[l];
    }
  }
}

template <int columns>
inline void all_rows(Index rows, Index depth, ConstMatrix a, ConstMatrix b, Matrix c, blas::Store how) {
  const auto next = [&]<int count>() {
    dot_products<count, columns>(depth, a, b, c, how);
    a.data += count * a.stride;
    c.data += count * c.stride;
    rows -= count;
  };
  while (rows >= rows_together) next.template operator()<rows_together>();
  if (rows >= 4) next.template operator()<4>();
  if (rows >= 2) next.template operator()<2>();
  if (rows >= 1) next.template operator()<1>();
}

}  // namespace

void few_rows_product(Index rows, Index columns, Index depth, ConstMatrix a, ConstMatrix b, Matrix c,
                      blas::Store how) noexcept {
  for (Index k = 0; k < depth || k == 0; k += most_depth) {
    const Index part = depth - k < most_depth ? depth - k : most_depth;
    const blas::Store store = k == 0 ? how : blas::Store::add;
    const auto at = [&](Index j) { return ConstMatrix{b.data + j * b.stride + k, b.stride}; };
    const ConstMatrix a_part{a.data + k, a.stride};
    Index j = 0;
    for (; rows == 1 && j + 2 * columns_together <= columns; j += 2 * columns_together)
      dot_products<1, 2 * columns_together>(part, a_part, at(j), {c.data + j, c.stride}, store);
    for (; j + columns_together <= columns; j += columns_together)
      all_rows<columns_together>(rows, part, a_part, at(j), {c.data + j, c.stride}, store);
    for (; j < columns; ++j) all_rows<1>(rows, part, a_part, at(j), {c.data + j, c.stride}, store);
  }
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
