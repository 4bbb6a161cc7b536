#include "autograd/kernels/products.h"

#include <algorithm>

#include "autograd/parallel.h"
#include "autograd/profile.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

using blas::Transposed;

/// Rows (or columns) that one thread computes at a time, for a result that has `extent` of them and a product
/// of m n k multiplications: slabs of up to 850 (larger ones gain 2 to 3 %), an even number of them, cut by
/// shape alone so that the bits of the result do not depend on the number of threads. A product too small
/// to wake a thread for stays whole.
Index product_block(Index extent, Index multiplications) {
  constexpr Index largest = 850, smallest = 16;
  constexpr Index worth_a_thread = 1'000'000;  // about 10 microseconds
  if (multiplications < worth_a_thread) return extent;
  const Index pairs = (extent + 2 * largest - 1) / (2 * largest);
  return std::max(smallest, (extent + 2 * pairs - 1) / (2 * pairs));
}

namespace {

/// A product with few rows takes less time than sgemm needs to copy B. For results of up to 1,024 numbers and
/// up to a million multiplications OpenBLAS has kernels (from AVX-512 on) that read B in place. So B is cut
/// into pieces of that size.
Index piece_columns(Index rows, Index depth) {
  const Index columns = std::min(1024 / rows, 1'000'000 / (rows * depth + 1));
  return std::max<Index>(columns / 16 * 16, 16);
}
constexpr Index few_rows = 64;

}  // namespace

bool cut_by_rows(Index m, Index n) { return m >= n; }

void product(Transposed transposed, Index m, Index n, Index k, ConstMatrix a, ConstMatrix b, Matrix c,
             blas::Store store, const BlockDone& done) {
  blas::load();  // once, before the threads start
  count_flops(2.0 * static_cast<double>(m * n * k));
  // The part of A for the rows of C from `row` on, and of B for its columns from `column` on.
  const Index a_step = transposed == Transposed::a ? 1 : a.stride;
  const Index b_step = transposed == Transposed::b ? b.stride : 1;
  const auto multiply = [&](Index row, Index rows, Index column, Index columns) {
    const bool in_pieces = transposed == Transposed::b && m > 0 && m <= few_rows;
    const Index piece = in_pieces ? piece_columns(m, k) : columns;
    for (Index first = column; first < column + columns; first += piece)
      blas::gemm(transposed, rows, std::min(piece, column + columns - first), k,
                 ConstMatrix{a.data + row * a_step, a.stride}, ConstMatrix{b.data + first * b_step, b.stride},
                 Matrix{c.data + row * c.stride + first, c.stride}, store);
    if (done) done(row, rows, column, columns);
  };
  const bool by_rows = cut_by_rows(m, n);
  const Index extent = by_rows ? m : n;
  parallel_for(extent, product_block(extent, m * n * k), [&](Index begin, Index end) {
    if (by_rows)
      multiply(begin, end - begin, 0, n);
    else
      multiply(0, m, begin, end - begin);
  });
}

}}}  // namespace regard::REGARD_PRECISION::kernels
