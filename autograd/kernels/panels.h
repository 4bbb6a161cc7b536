#pragma once

#include "autograd/kernels/kernel.h"
#include "autograd/machine/real.h"

// Matrix products C = A B (+ C) on the calling thread. B was copied into panels as wide as two registers, of
// which 256 rows fit the first-level cache. Each panel is multiplied with all rows of a tile of A,
// which are copied, too. Each element of C is one sum over k, in the same order wherever the tile begins and
// ends. So the bits do not depend on how a larger product was cut into tiles.

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// Panels of every instruction set fill so many columns.
inline constexpr Index panel_columns = 32;

/// `columns`, rounded up to that.
inline Index in_panels(Index columns) { return round_up(columns, panel_columns); }

/// A matrix as it lies in memory: element (i, j) is data[i * row + j * column], and one of the steps is 1.
struct StridedMatrix {
  const Real* data;
  Index row, column;

  /// The rest of the matrix from element (i, j) on.
  StridedMatrix from(Index i, Index j) const { return {data + i * row + j * column, row, column}; }
};

/// B[depth, columns], copied by pack_panels. A product reads its rows from `first` on.
struct Panels {
  const Real* data;
  Index depth, first = 0;
};

/// Copies `count` rows of B[depth, columns] from row `first` on into panels[in_panels(columns), depth], with
/// zeros for the columns that B does not have.
REGARD_KERNEL(pack_panels, Real* panels, Index depth, StridedMatrix b, Index first, Index count,
              Index columns);

/// The memory in which one thread computes a tile.
struct TileMemory {
  static constexpr Index most_rows = 144, most_columns = 256, most_depth = 256;
  /// Rows that begin a power of two apart would need the same places in the cache.
  static constexpr Index row_step = most_depth + 16;

  Real rows[most_rows * row_step];
  Real panels[most_columns * most_depth];
  Real edge[most_rows * panel_columns];
};

/// C[rows, columns] = A[rows, depth] B (+ C), for at most most_rows rows.
REGARD_KERNEL(product_tile, Index rows, Index columns, Index depth, StridedMatrix a, Panels b, Matrix c,
              blas::Store how, TileMemory* memory);

/// C[rows, columns] = the sum of matrices in the order of their places in memory (+ C). They have
/// no gaps between their rows and begin `size` numbers apart.
REGARD_KERNEL(add_matrices, Matrix c, const Real* matrices, Index count, Index rows, Index columns,
              Index size, blas::Store how);

/// C[rows, columns] = A[rows, depth] B (+ C), for few rows, as at each step of a recurrence, which copies B
/// once. `columns` are whole panels.
REGARD_KERNEL(panel_product, Index rows, Index columns, Index depth, ConstMatrix a, Panels b, Matrix c,
              blas::Store how);

}}}  // namespace regard::REGARD_PRECISION::kernels
