#pragma once

// C = A B for the small matrices of attention, where a call of sgemm costs as much as the work. C is computed
// in tiles of up to 12 rows and up to 2 vectors of columns, which stay in registers while k runs: each step
// loads a row of B and multiplies it by one number of A for each row of the tile. A may be stored transposed:
// element (i, k) is a[i * a_row + k * a_column]. For kernel files only.

#include "autograd/kernels/kernel.h"
#include "autograd/kernels/vector.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace {

// An array stays in registers only if the loops over it are unrolled.
#if defined(__clang__)
#define REGARD_UNROLL _Pragma("unroll")
#else
#define REGARD_UNROLL _Pragma("GCC unroll 12")
#endif

// (Not inlined: g++ would keep half of the sums in memory, where it inlines several of these.)
template <int rows, int vectors>
[[gnu::noinline]] void register_tile(Index depth, const Real* a, Index a_row, Index a_column, ConstMatrix b,
                                     Matrix c, blas::Store how) {
  Vector sum[rows][vectors];
  REGARD_UNROLL for (int i = 0; i < rows; ++i) {
    REGARD_UNROLL for (int v = 0; v < vectors; ++v) {
      sum[i][v] = how == blas::Store::add ? load(c.data + i * c.stride + v * lanes) : Vector{};
    }
  }
  for (Index k = 0; k < depth; ++k) {
    const Real* const b_row = b.data + k * b.stride;
    REGARD_UNROLL for (int i = 0; i < rows; ++i) {
      const Real factor = a[i * a_row + k * a_column];
      REGARD_UNROLL for (int v = 0; v < vectors; ++v) sum[i][v] += factor * load(b_row + v * lanes);
    }
  }
  REGARD_UNROLL for (int i = 0; i < rows; ++i) {
    REGARD_UNROLL for (int v = 0; v < vectors; ++v) store(c.data + i * c.stride + v * lanes, sum[i][v]);
  }
}

template <int vectors>
inline void product_columns(Index rows, Index depth, const Real* a, Index a_row, Index a_column,
                            ConstMatrix b, Matrix c, blas::Store how) {
  for (Index i = 0; i < rows;) {
    const Real* const a_rows = a + i * a_row;
    const Matrix c_rows{c.data + i * c.stride, c.stride};
    const Index left = rows - i;
    if (left >= 12 && registers == 32) {
      register_tile<12, vectors>(depth, a_rows, a_row, a_column, b, c_rows, how);
      i += 12;
    } else if (left >= 8 && vectors * 8 <= registers / 2) {
      register_tile<8, vectors>(depth, a_rows, a_row, a_column, b, c_rows, how);
      i += 8;
    } else if (left >= 6 && registers == 16) {
      register_tile<6, vectors>(depth, a_rows, a_row, a_column, b, c_rows, how);
      i += 6;
    } else if (left >= 4) {
      register_tile<4, vectors>(depth, a_rows, a_row, a_column, b, c_rows, how);
      i += 4;
    } else if (left >= 2) {
      register_tile<2, vectors>(depth, a_rows, a_row, a_column, b, c_rows, how);
      i += 2;
    } else {
      register_tile<1, vectors>(depth, a_rows, a_row, a_column, b, c_rows, how);
      i += 1;
    }
  }
}

/// C[rows, columns] = A[rows, depth] B[depth, columns] (+ C), for whole vectors of columns.
[[maybe_unused]] inline void tiled_product(Index rows, Index columns, Index depth, const Real* a, Index a_row,
                                           Index a_column, ConstMatrix b, Matrix c, blas::Store how) {
  Index j = 0;
  for (; j + 2 * lanes <= columns; j += 2 * lanes)
    product_columns<2>(rows, depth, a, a_row, a_column, {b.data + j, b.stride}, {c.data + j, c.stride}, how);
  if (j < columns)
    product_columns<1>(rows, depth, a, a_row, a_column, {b.data + j, b.stride}, {c.data + j, c.stride}, how);
}

}}}}  // namespace regard::REGARD_PRECISION::kernels
