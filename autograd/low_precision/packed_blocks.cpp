#include "autograd/low_precision/packed_blocks.h"

#include <algorithm>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// Rows of C that a call of the library computes are a multiple of this number, and the rest. So batches of
/// all lengths need few shapes, for each of which the library compiles a function.
constexpr Index rows_unit = 16;
/// No call computes more rows than this, so that its result is still in the cache when it is moved.
constexpr Index rows_at_once = 128;
constexpr Index usual_width = 256;

Index block_width(Index n, Index part) {
  if (part == 0 || n % part != 0) return usual_width;
  Index blocks = ceil_divide(part, usual_width);
  while (part % blocks != 0) ++blocks;
  constexpr Index narrowest = 32;
  return part / blocks >= narrowest ? part / blocks : part;
}

}  // namespace

PackedBlocks::PackedBlocks(Precision precision, Index k, Index n, const void* b,
                           low_precision::Strides strides, Index part)
    : k_(k), n_(n), width_(block_width(n, part)), blocks_(to_size(ceil_divide(n, width_))) {
  const Index size = precision == Precision::int8 ? 1 : sizeof(low_precision::bfloat16);
  const Index count = to_index(blocks_.size());
  parallel_for(count, block_size(count, width_ * k), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      blocks_[to_size(i)] = std::make_shared<low_precision::PackedMatrix>(
          precision, k, std::min(width_, n - i * width_),
          static_cast<const char*>(b) + i * width_ * strides.column * size, strides);
  });
}

void PackedBlocks::product(Index rows, kernels::Matrix c, blas::Store store, const Multiply& multiply,
                           const kernels::BlockDone& done) const {
  if (rows == 0 || n_ == 0) return;
  const Index numbers = std::min(rows, rows_at_once) * width_;
  const Buffer memory = allocate(to_size(threads() * numbers) * sizeof(float));
  const auto multiply_tile = [&](const kernels::TileProduct& part) {
    Index row = part.block.row, left = part.block.rows;
    float* const own_memory = static_cast<float*>(memory.get()) + part.worker * numbers;
    while (left > 0) {
      const Index even = left < rows_unit ? left : left / rows_unit * rows_unit;
      multiply(row, even, *blocks_[to_size(part.block.column / width_)], part.block.column,
               {part.to.data + (row - part.block.row) * part.to.stride, part.to.stride}, part.store,
               own_memory);
      row += even;
      left -= even;
    }
  };
  const ProductCut cut = cut_product(rows, n_, k_, {rows_at_once, width_}, {2 * rows_unit, width_});
  kernels::product_in_tiles(rows, n_, k_, cut, c, store, multiply_tile, done);
}

PackedBlocks PackedBlocks::columns(Index first, Index last, const char* name) const {
  if (blocks_.empty()) return {};
  if (first % width_ != 0 || (last % width_ != 0 && last != n_))
    fail("rows {} to {} of a {} weight of shape [{}, {}] are not whole blocks of {} rows", first, last, name,
         n_, k_, width_);
  PackedBlocks part = *this;
  part.n_ = last - first;
  part.blocks_.assign(blocks_.begin() + first / width_, blocks_.begin() + ceil_divide(last, width_));
  return part;
}

void PackedBlocks::add_memory(std::vector<std::span<const std::byte>>& all) const {
  for (const auto& block : blocks_)
    all.emplace_back(static_cast<const std::byte*>(block->data()), block->bytes());
}

void add_memory(std::vector<std::span<const std::byte>>& all, const Buffer& memory, Index bytes) {
  if (memory) all.emplace_back(static_cast<const std::byte*>(memory.get()), to_size(bytes));
}

void check_no_gradient(const Tensor& x, const MatrixForm& weight) {
  if (needs_gradient({x}))
    fail(
        "the weight of shape {} is a copy in {} for translation, without gradients; load the model in "
        "float32",
        to_string(weight.shape()), weight.name());
}

}}  // namespace regard::REGARD_PRECISION
