// The place of blas.cpp in a build without OpenBLAS. Large products are kernels of ours in every build
// (kernels/products.h). This is for the others: few rows or columns, or widths that are no whole vectors. It
// is written to be right on every processor, and not for the last bit of speed.
#include <algorithm>
#include <cstring>

#include "autograd/machine/blas.h"

namespace regard::blas {
namespace {

/// Four numbers, which most processors have vectors for.
template <class T>
struct Four {
  using Vector __attribute__((vector_size(4 * sizeof(T)))) = T;
};

constexpr Index tile_rows = 4, tile_columns = 8, most_depth = 256;

/// Where element (i, j) of a matrix is: data[i * row + j * column].
template <class T>
struct Strided {
  const T* data;
  Index row, column;
};

/// C = A panel (+ C), for panel[depth, 8] and C[rows, columns] with up to 4 rows and 8 columns.
template <class T>
void multiply_tile(Index rows, Index columns, Index depth, const Strided<T>& a, const T* panel, Matrix<T> c,
                   Store store) {
  using Vector = typename Four<T>::Vector;
  Vector sum[tile_rows][2] = {};
  const T* row_of_a[tile_rows];
  for (Index i = 0; i < tile_rows; ++i) row_of_a[i] = a.data + std::min(i, rows - 1) * a.row;
  for (Index k = 0; k < depth; ++k) {
    Vector b[2];
    std::memcpy(b, panel + k * tile_columns, sizeof b);
    for (Index i = 0; i < tile_rows; ++i)
      for (int half = 0; half < 2; ++half) sum[i][half] += row_of_a[i][k * a.column] * b[half];
  }
  for (Index i = 0; i < rows; ++i) {
    T numbers[tile_columns];
    std::memcpy(numbers, sum[i], sizeof numbers);
    T* const to = c.data + i * c.stride;
    for (Index j = 0; j < columns; ++j) to[j] = store == Store::add ? to[j] + numbers[j] : numbers[j];
  }
}

}  // namespace

template <class T>
void gemm(Transposed transposed, Index m, Index n, Index k, Matrix<const T> a, Matrix<const T> b, Matrix<T> c,
          Store store) {
  const bool a_transposed = transposed == Transposed::a, b_transposed = transposed == Transposed::b;
  const Strided<T> of_a{a.data, a_transposed ? 1 : a.stride, a_transposed ? a.stride : 1};
  const Strided<T> of_b{b.data, b_transposed ? 1 : b.stride, b_transposed ? b.stride : 1};
  T panel[most_depth * tile_columns];  // columns of B, which stay in the cache while all rows of A read them
  for (Index first = 0; first < k || first == 0; first += most_depth) {
    const Index depth = std::min(k - first, most_depth);
    for (Index j = 0; j < n; j += tile_columns) {
      const Index columns = std::min(n - j, tile_columns);
      for (Index l = 0; l < depth; ++l)
        for (Index column = 0; column < tile_columns; ++column)
          panel[l * tile_columns + column] =
              column < columns ? of_b.data[(first + l) * of_b.row + (j + column) * of_b.column] : T{0};
      for (Index i = 0; i < m; i += tile_rows)
        multiply_tile<T>(std::min(m - i, tile_rows), columns, depth,
                         {of_a.data + i * of_a.row + first * of_a.column, of_a.row, of_a.column}, panel,
                         {c.data + i * c.stride + j, c.stride}, first > 0 ? Store::add : store);
    }
  }
}

template void gemm(Transposed, Index, Index, Index, Matrix<const float>, Matrix<const float>, Matrix<float>,
                   Store);
template void gemm(Transposed, Index, Index, Index, Matrix<const double>, Matrix<const double>,
                   Matrix<double>, Store);

bool reads_in_place() { return false; }
void load() {}

const Information& information() {
  static const Information none{.version = "none (REGARD_OPENBLAS=OFF)", .core = "none"};
  return none;
}

}  // namespace regard::blas
