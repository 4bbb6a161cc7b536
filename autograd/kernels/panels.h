#pragma once

#include "autograd/kernels/kernel.h"
#include "autograd/real.h"

// Products with one matrix B again and again, as at each step of a recurrence. A call of sgemm copies B into
// an order of its own before it multiplies; for a few rows of A that takes as long as the product. So B is
// copied once, into panels of 32 columns, and every product reads the panels.

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

inline constexpr Index panel_columns = 32;

/// `columns`, rounded up to whole panels.
inline Index in_panels(Index columns) {
  return (columns + panel_columns - 1) / panel_columns * panel_columns;
}

/// Copies B[depth, columns], whose element (k, j) is b[k * b_row + j * b_column], into
/// panels[in_panels(columns) / 32, depth, 32], with zeros for the columns that B does not have.
REGARD_KERNEL(pack_panels, Real* panels, const Real* b, Index b_row, Index b_column, Index depth,
              Index columns);

/// C[rows, columns] = A[rows, depth] B (+ C) on the calling thread. `columns` are whole panels.
REGARD_KERNEL(panel_product, Index rows, Index columns, Index depth, ConstMatrix a, const Real* panels,
              Matrix c, blas::Store how);

}}}  // namespace regard::REGARD_PRECISION::kernels
