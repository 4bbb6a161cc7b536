#include "autograd/kernels/panels.h"

#include "autograd/kernels/tiled_product.h"

namespace regard::inline REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE {

namespace {

constexpr Index most_depth = TileMemory::most_depth;
/// The columns of a panel: with this depth it takes half of the first-level cache.
constexpr Index width = 2 * lanes;
constexpr Index strip_rows = TileMemory::strip_rows;

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

/// C[rows, width] = A panel (+ C), for A in strips[rows / 12, ., 12], which begin `step` apart.
void multiply_strips(Index rows, Index depth, const Real* strips, Index step, const Real* panel, Matrix c,
                     blas::Store how) {
  for (Index i = 0; i < rows; i += strip_rows)
    product_columns<2>(smaller(strip_rows, rows - i), depth, strips + i / strip_rows * step, 1, strip_rows,
                       {panel, width}, {c.data + i * c.stride, c.stride}, how);
}

}  // namespace

void pack_strips(Real* strips, Index step, ConstMatrix a, Index rows, Index depth) noexcept {
  for (Index k = 0; k < depth; ++k) {
    const Real* const from = a.data + k * a.stride;
    load_ahead(from + rows_ahead * a.stride, rows);
    copy_parts<strip_rows>(strips + k * strip_rows, step, from, rows);
  }
}

void product_tile(Index rows, Index columns, Index depth, StridedMatrix a, Panels b, Matrix c,
                  blas::Store how, TileMemory* memory) noexcept {
  constexpr Index row_step = TileMemory::row_step;
  for (Index k = 0; k < depth || k == 0; k += most_depth) {
    const Index part = smaller(most_depth, depth - k);
    const Real* strips = a.data + k * a.column;
    Index strip_step = a.row * strip_rows;
    if (a.column == 1) {
      for (Index i = 0; i < rows; ++i) {
        load_ahead(strips + (i + 3) * a.row, part);
        __builtin_memcpy(memory->rows + i * row_step, strips + i * a.row, part * sizeof(Real));
      }
    } else if (a.row == 1) {
      strip_step = most_depth * strip_rows;
      pack_strips(memory->rows, strip_step, {strips, a.column}, rows, part);
      strips = memory->rows;
    }
    for (Index j = 0; j < columns; j += width) {
      const Index count = smaller(width, columns - j);
      const bool whole = count == width;  // else the product goes to C by way of memory->edge
      const GradSlot to{c.data + j, k > 0 || how == blas::Store::add};
      const Matrix panel_of_c = whole ? Matrix{to.data, c.stride} : Matrix{memory->edge, width};
      const blas::Store store_panel = whole ? store(to) : blas::Store::overwrite;
      const Real* const panel = b.data + j * b.depth + (b.first + k) * width;
      if (a.column == 1)
        product_columns<2>(rows, part, memory->rows, row_step, 1, {panel, width}, panel_of_c, store_panel);
      else
        multiply_strips(rows, part, strips, strip_step, panel, panel_of_c, store_panel);
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

void pack_panels(Real* panels, StridedMatrix b, Index depth, Index columns) noexcept {
  const Index whole = b.column == 1 ? columns / width * width : 0;
  for (Index k = 0; whole > 0 && k < depth; ++k) {
    const Real* const from = b.data + k * b.row;
    load_ahead(from + rows_ahead * b.row, whole);
    copy_parts<width>(panels + k * width, depth * width, from, whole);
  }
  for (Index j = whole; j < in_panels(columns); j += width)
    pack_panel(panels + j * depth, {b.data + j * b.column, b.row, b.column}, depth,
               smaller(width, columns - j));
}

void panel_product(Index rows, Index columns, Index depth, ConstMatrix a, Panels b, Matrix c,
                   blas::Store how) noexcept {
  for (Index j = 0; j < columns; j += width)
    for (Index k = 0; k < depth; k += most_depth)
      product_columns<2>(rows, smaller(most_depth, depth - k), a.data + k, a.stride, 1,
                         {b.data + j * b.depth + k * width, width}, {c.data + j, c.stride},
                         k == 0 ? how : blas::Store::add);
}

}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
