#include "autograd/kernels/panels.h"

#include <type_traits>

#include "autograd/kernels/tiled_product.h"

namespace regard::inline REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE {

namespace {

constexpr Index most_depth = TileMemory::most_depth;  // a panel of this depth fills the first-level cache

Index smaller(Index a, Index b) { return a < b ? a : b; }

// Four numbers, which every processor has vectors for.
using Four __attribute__((vector_size(4 * sizeof(Real)))) = Real;
#if defined(__clang__) || __GNUC__ >= 12
#define REGARD_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
using FourPlaces __attribute__((vector_size(4 * sizeof(Real)))) =
    std::conditional_t<sizeof(Real) == sizeof(int), int, long>;
#define REGARD_SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, FourPlaces{i, j, k, l})
#endif

/// to[i][j] = from[j][i] for 4 x 4 numbers.
inline void transpose_four(Real* to, Index to_stride, const Real* from, Index from_stride) {
  Four a, b, c, d;
  __builtin_memcpy(&a, from, sizeof a);
  __builtin_memcpy(&b, from + from_stride, sizeof b);
  __builtin_memcpy(&c, from + 2 * from_stride, sizeof c);
  __builtin_memcpy(&d, from + 3 * from_stride, sizeof d);
  const Four ab_low = REGARD_SHUFFLE(a, b, 0, 4, 1, 5), ab_high = REGARD_SHUFFLE(a, b, 2, 6, 3, 7);
  const Four cd_low = REGARD_SHUFFLE(c, d, 0, 4, 1, 5), cd_high = REGARD_SHUFFLE(c, d, 2, 6, 3, 7);
  const Four rows[4] = {
      REGARD_SHUFFLE(ab_low, cd_low, 0, 1, 4, 5), REGARD_SHUFFLE(ab_low, cd_low, 2, 3, 6, 7),
      REGARD_SHUFFLE(ab_high, cd_high, 0, 1, 4, 5), REGARD_SHUFFLE(ab_high, cd_high, 2, 3, 6, 7)};
  for (int i = 0; i < 4; ++i) __builtin_memcpy(to + i * to_stride, &rows[i], sizeof rows[i]);
}

/// Processors do not load memory ahead where each row begins in another page.
constexpr Index rows_ahead = 24;

/// Copies B[depth, columns] into panel[depth, 32], with zeros for the columns that B does not have.
void pack_panel(Real* panel, StridedMatrix b, Index depth, Index columns) {
  if (columns == panel_columns && b.column == 1) {
    for (Index k = 0; k < depth; ++k) {
      __builtin_prefetch(b.data + (k + rows_ahead) * b.row);
      __builtin_prefetch(b.data + (k + rows_ahead) * b.row + panel_columns / 2);
      __builtin_memcpy(panel + k * panel_columns, b.data + k * b.row, panel_columns * sizeof(Real));
    }
    return;
  }
  const Index fours = columns == panel_columns && b.row == 1 ? depth / 16 * 16 : 0;
  for (Index k = 0; k < fours; k += 16)  // a line of the cache
    for (Index j = 0; j < panel_columns; j += 4)
      for (Index i = k; i < k + 16; i += 4)
        transpose_four(panel + i * panel_columns + j, panel_columns, b.data + j * b.column + i, b.column);
  for (Index k = fours; k < depth; ++k)
    for (Index j = 0; j < panel_columns; ++j)
      panel[k * panel_columns + j] = j < columns ? b.data[k * b.row + j * b.column] : Real{0};
}

/// C[rows, 32] = A[rows, depth] panel (+ C)
void multiply_panel(Index rows, Index depth, StridedMatrix a, const Real* panel, Matrix c, blas::Store how) {
  for (Index j = 0; j < panel_columns; j += 2 * lanes)
    product_columns<2>(rows, depth, a.data, a.row, a.column, {panel + j, panel_columns},
                       {c.data + j, c.stride}, how);
}

constexpr Index strip_rows = 16;

/// Copies A^T into strips[rows / 16, depth, 16]. In place, each row of it would lie in another page of
/// memory.
void pack_strips(Real* strips, StridedMatrix a, Index rows, Index depth) {
  for (Index first = 0; first < rows; first += strip_rows) {
    Real* const strip = strips + first * depth;
    const Real* const from = a.data + first;
    const Index count = smaller(strip_rows, rows - first);
    for (Index k = 0; count == strip_rows && k < depth; ++k) {  // at once
      __builtin_prefetch(from + (k + rows_ahead) * a.column);
      __builtin_memcpy(strip + k * strip_rows, from + k * a.column, strip_rows * sizeof(Real));
    }
    for (Index k = 0; count < strip_rows && k < depth; ++k)
      for (Index i = 0; i < count; ++i) strip[k * strip_rows + i] = from[i + k * a.column];
  }
}

}  // namespace

void product_tile(Index rows, Index columns, Index depth, StridedMatrix a, StridedMatrix b, Matrix c,
                  blas::Store how, TileMemory* memory) noexcept {
  for (Index k = 0; k < depth || k == 0; k += most_depth) {
    const Index part = smaller(most_depth, depth - k);
    // A as strips of `height` rows, one below the other: in place it is one strip.
    StridedMatrix strip{a.data + k * a.column, a.row, a.column};
    Index height = rows;
    if (a.row == 1 && a.column > 1) {
      pack_strips(memory->strips, strip, rows, part);
      strip = {memory->strips, 1, strip_rows};
      height = strip_rows;
    }
    for (Index first = 0; first < columns; first += panel_columns) {
      const Index count = smaller(panel_columns, columns - first);
      pack_panel(memory->panel, {b.data + k * b.row + first * b.column, b.row, b.column}, part, count);
      const bool whole = count == panel_columns;  // else the product goes to C by way of memory->edge
      const GradSlot to{c.data + first, k > 0 || how == blas::Store::add};
      const Matrix panel_of_c = whole ? Matrix{to.data, c.stride} : Matrix{memory->edge, panel_columns};
      for (Index i = 0; i < rows; i += height)
        multiply_panel(smaller(height, rows - i), part, {strip.data + i * part, strip.row, strip.column},
                       memory->panel, {panel_of_c.data + i * panel_of_c.stride, panel_of_c.stride},
                       whole ? store(to) : blas::Store::overwrite);
      for (Index i = 0; !whole && i < rows; ++i)
        put_row(to, i * c.stride, count, [&](Index j) { return memory->edge[i * panel_columns + j]; });
    }
  }
}

void add_matrices(Matrix c, const Real* matrices, Index count, Index rows, Index columns, Index size,
                  blas::Store how) noexcept {
  for (Index row = 0; row < rows; ++row) {
    GradSlot to{c.data + row * c.stride, how == blas::Store::add};
    for (Index matrix = 0; matrix < count; ++matrix) {
      const Real* const from = matrices + matrix * size + row * columns;
      put_row(to, 0, columns, [=](Index i) { return from[i]; });
      to.add = true;
    }
  }
}

void pack_panels(Real* panels, StridedMatrix b, Index depth, Index columns) noexcept {
  for (Index first = 0; first < columns; first += panel_columns)
    pack_panel(panels + first * depth, {b.data + first * b.column, b.row, b.column}, depth,
               smaller(panel_columns, columns - first));
}

void panel_product(Index rows, Index columns, Index depth, ConstMatrix a, const Real* panels, Matrix c,
                   blas::Store how) noexcept {
  for (Index first = 0; first < columns; first += panel_columns)
    for (Index k = 0; k < depth; k += most_depth)
      multiply_panel(rows, smaller(most_depth, depth - k), {a.data + k, a.stride, 1},
                     panels + first * depth + k * panel_columns, {c.data + first, c.stride},
                     k == 0 ? how : blas::Store::add);
}

}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
