#include "autograd/kernels/products.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "autograd/kernels/few_rows.h"
#include "autograd/kernels/panels.h"
#include "autograd/machine/error.h"
#include "autograd/machine/memory.h"
#include "autograd/machine/parallel.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

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

/// B is cut into pieces that blas::gemm can read in place (blas.h). 0: it would copy B for each call.
Index piece_columns(Index rows, Index depth) {
  if (!blas::reads_in_place()) return 0;
  return std::min(1024 / rows, 1'000'000 / (rows * depth + 1)) / 16 * 16;
}

/// A product with few rows, cut along its columns.
void thin_product(Transposed transposed, Index m, Index n, Index k, ConstMatrix a, ConstMatrix b, Matrix c,
                  blas::Store store, const BlockDone& done) {
  const bool b_transposed = transposed == Transposed::b;
  const Index b_step = b_transposed ? b.stride : 1, pieces = m > 0 ? piece_columns(m, k) : 0;
  const bool in_place = b_transposed && pieces == 0;
  if (!in_place) blas::load();  // once, before the threads start
  const Index block = block_size(n, work_of_columns(m, 1, k), panel_columns);
  parallel_for(n, block, [&](Index begin, Index end) {
    const Index piece = b_transposed && !in_place ? pieces : end - begin;
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

/// B[k, n] in panels.
Buffer pack_all_panels(StridedMatrix b, Index k, Index n) {
  Buffer panels = allocate(to_size(in_panels(n) * k) * sizeof(Real));
  Real* const to = static_cast<Real*>(panels.get());
  // A block is a part of B that lies in memory without large gaps.
  if (b.column == 1)
    parallel_for(k, block_size(k, in_panels(n)),
                 [&](Index begin, Index end) { pack_panels(to, k, b, begin, end - begin, n); });
  else
    parallel_for(in_panels(n), block_size(in_panels(n), k, panel_columns), [&](Index begin, Index end) {
      pack_panels(to + begin * k, k, b.from(0, begin), Index{0}, k, std::min(end, n) - begin);
    });
  return panels;
}

}  // namespace

void product(Transposed transposed, Index m, Index n, Index k, ConstMatrix a, ConstMatrix b, Matrix c,
             blas::Store store, const BlockDone& done) {
  if (m < few_rows && (transposed == Transposed::b || m < panel_columns))
    return thin_product(transposed, m, n, k, a, b, c, store, done);
  const bool a_transposed = transposed == Transposed::a, b_transposed = transposed == Transposed::b;
  const StridedMatrix b_steps{b.data, b_transposed ? 1 : b.stride, b_transposed ? b.stride : 1};
  const StridedMatrix a_steps{a.data, a_transposed ? 1 : a.stride, a_transposed ? a.stride : 1};
  // What many tiles read is copied once. The other copies stay in the cache of one thread.
  const bool share_b = m > TileMemory::most_rows;
  const Buffer panels = share_b ? pack_all_panels(b_steps, k, n) : nullptr;
  const Buffer memory = allocate(to_size(threads()) * sizeof(TileMemory));
  const auto multiply = [&](const TileProduct& part) {
    const auto& [block, first, depth, to, how, worker] = part;
    TileMemory* const own = static_cast<TileMemory*>(memory.get()) + worker;
    if (share_b)
      return product_tile(block.rows, block.columns, depth, a_steps.from(block.row, first),
                          Panels{static_cast<const Real*>(panels.get()) + block.column * k, k, first}, to,
                          how, own);
    Real* const few_panels = own->panels;
    for (Index end = first + depth, at = first; at < end || at == first; at += TileMemory::most_depth) {
      const Index rows_of_b = std::min(TileMemory::most_depth, end - at);
      pack_panels(few_panels, rows_of_b, b_steps.from(at, block.column), Index{0}, rows_of_b, block.columns);
      product_tile(block.rows, block.columns, rows_of_b, a_steps.from(block.row, at),
                   Panels{few_panels, rows_of_b}, to, at == first ? how : blas::Store::add, own);
    }
  };
  const ProductCut largest{share_b ? TileMemory::most_rows : m, TileMemory::most_columns,
                           std::max<Index>(k / TileMemory::most_depth, 1)};
  const ProductCut smallest{share_b ? 36 : largest.rows, 64};
  product_in_tiles(m, n, k, cut_product(m, n, k, largest, smallest), c, store, multiply, done);
}

void product_in_tiles(Index m, Index n, Index k, const ProductCut& cut, Matrix c, blas::Store store,
                      const std::function<void(const TileProduct& part)>& multiply, const BlockDone& done) {
  const Index across = ceil_divide(n, cut.columns), down = ceil_divide(m, cut.rows);
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
    const Index tile = index % tiles, part = index / tiles;  // tiles of one part read the same rows of B
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

}}}  // namespace regard::REGARD_PRECISION::kernels
