#include "autograd/kernels/panels.h"

#include "autograd/kernels/tiled_product.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

namespace {

constexpr Index most_depth = TileMemory::most_depth;
/// The columns of a panel. With this depth it fits the first-level cache.
constexpr Index width = 2 * lanes;
constexpr Index row_step = TileMemory::row_step, strip_rows = 12, strip_step = strip_rows * row_step;

Index smaller(Index a, Index b) { return a < b ? a : b; }

/// to[i][j] = from[j][i] for 4 x 4 numbers.
inline void transpose_four(Real* to, Index to_stride, const Real* from, Index from_stride) {
  Four rows[4];
  for (int i = 0; i < 4; ++i) __builtin_memcpy(&rows[i], from + i * from_stride, sizeof rows[i]);
  transpose(rows);
  for (int i = 0; i < 4; ++i) __builtin_memcpy(to + i * to_stride, &rows[i], sizeof rows[i]);
}

/// Where rows do not follow one another in memory, processors do not load the next row ahead.
inline void load_ahead(const Real* row, Index count) {
  for (Index i = 0; i < count; i += 64 / static_cast<Index>(sizeof(Real))) __builtin_prefetch(row + i);
}
constexpr Index rows_ahead = 8;

/// Copies B[depth, columns] into panel[depth, width], with zeros for the columns that B does not have.
void pack_panel(Real* panel, StridedMatrix b, Index depth, Index columns) {
  const Index fours = columns == width && b.row == 1 ? depth / 16 * 16 : 0;
  for (Index k = 0; k < fours; k += 16)  // a line of the cache
    for (Index j = 0; j < width; j += 4)
      for (Index i = k; i < k + 16; i += 4)
        transpose_four(panel + i * width + j, width, b.data + j * b.column + i, b.column);
  for (Index k = fours; k < depth; ++k)
    for (Index j = 0; j < width; ++j)
      panel[k * width + j] = j < columns ? b.data[k * b.row + j * b.column] : Real{0};
}

/// Copies numbers that follow one another in parts of `size`, of which each goes `step` behind the last one.
template <Index size>
inline void copy_parts(Real* to, Index step, const Real* from, Index count) {
  for (; count >= size; count -= size, from += size, to += step)
    __builtin_memcpy(to, from, size * sizeof(Real));
  for (Index i = 0; i < count; ++i) to[i] = from[i];
}

/// Copies A[rows, depth]: its rows, or if its columns lie in memory without gaps, strips[rows / 12, depth,
/// 12].
void copy_rows(Real* to, StridedMatrix a, Index rows, Index depth) {
  if (a.column == 1) {
    for (Index i = 0; i < rows; ++i) {
      load_ahead(a.data + (i + 3) * a.row, depth);
      __builtin_memcpy(to + i * row_step, a.data + i * a.row, depth * sizeof(Real));
    }
  } else {
    for (Index k = 0; k < depth; ++k) {
      load_ahead(a.data + (k + rows_ahead) * a.column, rows);
      copy_parts<strip_rows>(to + k * strip_rows, strip_step, a.data + k * a.column, rows);
    }
  }
}

/// C[rows, width] = A[rows, depth] panel (+ C), for A as copy_rows left it.
void multiply_panel(Index rows, Index depth, const Real* a, bool in_strips, const Real* panel, Matrix c,
                    blas::Store how) {
  if (!in_strips) return product_columns<2>(rows, depth, a, row_step, 1, {panel, width}, c, how);
  for (Index i = 0; i < rows; i += strip_rows)
    product_columns<2>(smaller(strip_rows, rows - i), depth, a + i * row_step, 1, strip_rows, {panel, width},
                       {c.data + i * c.stride, c.stride}, how);
}

}  // namespace

void product_tile(Index rows, Index columns, Index depth, StridedMatrix a, Panels b, Matrix c,
                  blas::Store how, TileMemory* memory) noexcept {
  for (Index k = 0; k < depth || k == 0; k += most_depth) {
    const Index part = smaller(most_depth, depth - k);
    copy_rows(memory->rows, {a.data + k * a.column, a.row, a.column}, rows, part);
    for (Index j = 0; j < columns; j += width) {
      const Index count = smaller(width, columns - j);
      // C has no room for the last columns of its last panel. That product goes to memory->edge, and its
      // first columns go from there to C.
      const bool whole = count == width;
      const GradSlot to{c.data + j, k > 0 || how == blas::Store::add};
      multiply_panel(rows, part, memory->rows, a.column != 1, b.data + j * b.depth + (b.first + k) * width,
                     whole ? Matrix{to.data, c.stride} : Matrix{memory->edge, width},
                     whole ? store(to) : blas::Store::overwrite);
      for (Index i = 0; !whole && i < rows; ++i)
        put_row(to, i * c.stride, count, [&](Index column) { return memory->edge[i * width + column]; });
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

void pack_panels(Real* panels, Index depth, StridedMatrix b, Index first, Index count,
                 Index columns) noexcept {
  Real* const to = panels + first * width;
  const StridedMatrix from = b.from(first, 0);
  const Index whole = b.column == 1 ? columns / width * width : 0;
  for (Index k = 0; whole > 0 && k < count; ++k) {
    load_ahead(from.data + (k + rows_ahead) * b.row, whole);
    copy_parts<width>(to + k * width, depth * width, from.data + k * b.row, whole);
  }
  for (Index j = whole; j < in_panels(columns); j += width)
    pack_panel(to + j * depth, from.from(0, j), count, smaller(width, columns - j));
}

void panel_product(Index rows, Index columns, Index depth, ConstMatrix a, Panels b, Matrix c,
                   blas::Store how) noexcept {
  for (Index j = 0; j < columns; j += width)
    for (Index k = 0; k < depth; k += most_depth)
      product_columns<2>(rows, smaller(most_depth, depth - k), a.data + k, a.stride, 1,
                         {b.data + j * b.depth + k * width, width}, {c.data + j, c.stride},
                         k == 0 ? how : blas::Store::add);
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
