#include "autograd/kernels/products.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "autograd/kernels/few_rows.h"
#include "autograd/kernels/panels.h"
#include "autograd/machine/error.h"
#include "autograd/machine/memory.h"
#include "autograd/machine/parallel.h"

namespace regard::inline REGARD_PRECISION::kernels {

using blas::Transposed;

namespace {

constexpr Index part_unit = 64;

/// The work of a product with B[k, columns], in numbers: each number of B is read, and multiplied with each
/// row.
Index work_of_columns(Index rows, Index columns, Index k) {
  return columns * (k + rows * k / multiplications_per_number);
}

/// With fewer rows than this a product takes less time than copying B into panels.
constexpr Index few_rows = 64;

/// From AVX-512 on, OpenBLAS has kernels that read B in place, for results of up to 1,024 numbers and up to a
/// million multiplications. So B is cut into pieces of that size. Without AVX-512 it would copy B for each
/// call.
Index piece_columns(Index rows, Index depth) {
  const Index columns = std::min(1024 / rows, 1'000'000 / (rows * depth + 1));
  return std::max<Index>(columns / 16 * 16, 16);
}

/// A product with few rows, cut along its columns.
void thin_product(Transposed transposed, Index m, Index n, Index k, ConstMatrix a, ConstMatrix b, Matrix c,
                  blas::Store store, const BlockDone& done) {
  const bool b_transposed = transposed == Transposed::b, in_place = b_transposed && simd() != Simd::avx512;
  if (!in_place) blas::load();  // once, before the threads start
  const Index b_step = b_transposed ? b.stride : 1;
  const Index block = block_size(n, work_of_columns(m, 1, k), panel_columns);
  parallel_for(n, block, [&](Index begin, Index end) {
    const Index piece = b_transposed && !in_place && m > 0 ? piece_columns(m, k) : end - begin;
    for (Index first = begin; first < end; first += piece) {
      const Index columns = std::min(piece, end - first);
      const ConstMatrix part{b.data + first * b_step, b.stride};
      const Matrix to{c.data + first, c.stride};
      if (in_place)
        few_rows_product(m, columns, k, a, part, to, store);
      else
        blas::gemm(transposed, m, columns, k, a, part, to, store);
    }
    if (done) done({0, m, begin, end - begin});
  });
}

}  // namespace

void product(Transposed transposed, Index m, Index n, Index k, ConstMatrix a, ConstMatrix b, Matrix c,
             blas::Store store, const BlockDone& done) {
  if (m < few_rows && (transposed == Transposed::b || m < panel_columns))
    return thin_product(transposed, m, n, k, a, b, c, store, done);
  const bool a_transposed = transposed == Transposed::a, b_transposed = transposed == Transposed::b;
  const StridedMatrix a_steps{a.data, a_transposed ? 1 : a.stride, a_transposed ? a.stride : 1};
  const StridedMatrix b_steps{b.data, b_transposed ? 1 : b.stride, b_transposed ? b.stride : 1};
  // If A is transposed, each tile copies its part of A, too. A tile is then wider, so that more columns use
  // the copy.
  const ProductCut largest{TileMemory::most_rows, a_transposed ? 256 : 128,
                           std::max<Index>(k / TileMemory::most_depth, 1)};
  const Buffer memory = allocate(to_size(threads()) * sizeof(TileMemory));
  const auto multiply = [&](const TileProduct& part) {
    const auto& [block, first, depth, to, how, worker] = part;
    product_tile(block.rows, block.columns, depth, a_steps.from(block.row, first),
                 b_steps.from(first, block.column), to, how, static_cast<TileMemory*>(memory.get()) + worker);
  };
  product_in_tiles(m, n, k, cut_product(m, n, k, largest, {32, 32}), c, store, multiply, done);
}

void product_in_tiles(Index m, Index n, Index k, const ProductCut& cut, Matrix c, blas::Store store,
                      const std::function<void(const TileProduct& part)>& multiply, const BlockDone& done) {
  const Index across = (n + cut.columns - 1) / cut.columns, down = (m + cut.rows - 1) / cut.rows;
  const Index tiles = down * across;
  // Tiles that follow one another share the larger of their two operands, which stays in the cache.
  const bool share_rows = cut.rows >= cut.columns;
  const Index tile_size = cut.rows * cut.columns, parts = cut.parts;
  const Buffer partial_sums =
      parts == 1 ? nullptr : allocate(to_size(tiles * parts * tile_size) * sizeof(Real));
  std::vector<std::atomic<Index>> finished(parts == 1 ? 0 : to_size(tiles));
  const auto part_begin = [&](Index part) {
    return part == parts ? k : k / part_unit * part / parts * part_unit;
  };
  const auto run = [&](Index index, int worker) {
    const Index tile = index / parts, part = index % parts;
    const Index row = (share_rows ? tile / across : tile % down) * cut.rows;
    const Index column = (share_rows ? tile % across : tile / down) * cut.columns;
    const MatrixBlock block{row, std::min(cut.rows, m - row), column, std::min(cut.columns, n - column)};
    const Index first = part_begin(part), depth = part_begin(part + 1) - first;
    const Matrix to{c.data + row * c.stride + column, c.stride};
    if (parts == 1) {
      multiply({block, first, depth, to, store, worker});
    } else {
      Real* const sums = static_cast<Real*>(partial_sums.get()) + tile * parts * tile_size;
      multiply(
          {block, first, depth, {sums + part * tile_size, block.columns}, blas::Store::overwrite, worker});
      if (++finished[to_size(tile)] < parts) return;
      add_matrices(to, static_cast<const Real*>(sums), parts, block.rows, block.columns, tile_size, store);
    }
    if (done) done(block);
  };
  const Index numbers = work_of_columns(std::min(cut.rows, m), std::min(cut.columns, n), k / parts);
  parallel_for(tiles * parts, block_size(tiles * parts, numbers), [&](Index begin, Index end, int worker) {
    for (Index index = begin; index < end; ++index) run(index, worker);
  });
}

}  // namespace regard::REGARD_PRECISION::kernels
