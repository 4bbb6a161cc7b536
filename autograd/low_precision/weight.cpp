#include "autograd/low_precision/weight.h"

#include <algorithm>
#include <cmath>

#include "autograd/error.h"
#include "autograd/kernels/rounding.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// Rows of C that a call of the library computes are a multiple of this number, and the rest. So batches of
/// all lengths need few shapes, for each of which the library compiles a function.
constexpr Index rows_unit = 16;
/// No call computes more rows than this, so that its result is still in the cache when it is moved.
constexpr Index rows_at_once = 128;
constexpr Index usual_block = 256;

Index round_up(Index x, Index unit) { return (x + unit - 1) / unit * unit; }

/// `Real` is float wherever products round.
blas::Matrix<float> floats(kernels::Matrix matrix) {
  return {reinterpret_cast<float*>(matrix.data), matrix.stride};
}

/// Columns of C in a block. If `extent` is a multiple of `part`, blocks end where parts end.
Index block_width(Index extent, Index part) {
  if (part == 0 || extent % part != 0) return usual_block;
  Index blocks = (part + usual_block - 1) / usual_block;
  while (part % blocks != 0) ++blocks;
  constexpr Index narrowest = 32;
  return part / blocks >= narrowest ? part / blocks : part;
}

/// Makes the blocks of a matrix of `extent` columns and `depth` rows, on all threads: make(first column,
/// columns).
template <class Make>
std::vector<std::shared_ptr<const low_precision::PackedMatrix>> make_blocks(Index extent, Index width,
                                                                            Index depth, const Make& make) {
  std::vector<std::shared_ptr<const low_precision::PackedMatrix>> blocks(
      to_size((extent + width - 1) / width));
  const Index count = to_index(blocks.size());
  parallel_for(count, block_size(count, width * depth), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      blocks[to_size(i)] = make(i * width, std::min(width, extent - i * width));
  });
  return blocks;
}

/// C[rows, columns] = A B (+ C) for a packed B: multiply(row, rows, block of B, to, store, memory for that
/// many numbers of 4 bytes) for all tiles of C, and done(…) when one is finished.
template <class Blocks, class Multiply>
void packed_product(Index rows, Index depth, const Blocks& blocks, kernels::Matrix c, blas::Store store,
                    const Multiply& multiply, const kernels::BlockDone& done) {
  Index columns = 0;
  for (const auto& block : blocks) columns += block->n();
  if (rows == 0 || columns == 0) return;
  const Index width = blocks.front()->n(), numbers = std::min(rows, rows_at_once) * width;
  const Buffer memory = allocate(to_size(threads() * numbers) * sizeof(float));
  const auto multiply_tile = [&](const kernels::TileProduct& part) {
    Index row = part.block.row, left = part.block.rows;
    float* const sums = static_cast<float*>(memory.get()) + part.worker * numbers;
    while (left > 0) {
      const Index even = left < rows_unit ? left : left / rows_unit * rows_unit;
      multiply(row, even, *blocks[to_size(part.block.column / width)], part.block.column,
               floats({part.to.data + (row - part.block.row) * part.to.stride, part.to.stride}), part.store,
               sums);
      row += even;
      left -= even;
    }
  };
  const ProductCut cut = cut_product(rows, columns, depth, {rows_at_once, width}, {2 * rows_unit, width});
  kernels::product_in_tiles(rows, columns, depth, cut, c, store, multiply_tile, done);
}

/// C[rows, n] = A B (+ C), where C may be a part of a wider matrix. The library's fast kernels write only
/// matrices without gaps between their rows, so they write to `memory` if C has gaps.
void product_into(Index rows, const bfloat16* a, Index a_stride, const low_precision::PackedMatrix& b,
                  blas::Matrix<float> c, blas::Store store, void* memory) {
  const Index n = b.n();
  if (rows == 1 || c.stride == n) return low_precision::product(rows, a, a_stride, b, c.data, store);
  auto* const result = static_cast<float*>(memory);
  low_precision::product(rows, a, a_stride, b, result, blas::Store::overwrite);
  for (Index row = 0; row < rows; ++row) {
    const float* const from = result + row * n;
    float* const to = c.data + row * c.stride;
    if (store == blas::Store::overwrite)
      std::copy(from, from + n, to);
    else
      for (Index i = 0; i < n; ++i) to[i] += from[i];
  }
}

}  // namespace

RoundedMatrix::RoundedMatrix(const float* x, Index row_count, Index column_count)
    : rows(row_count), columns(column_count) {
  const Index all_rows = round_up(rows, row_unit) + row_unit;
  memory = allocate(to_size(all_rows * columns) * sizeof(bfloat16));
  auto* const to = static_cast<bfloat16*>(memory.get());
  kernels::round_to_bfloat16(to, x, rows * columns);
  std::fill(to + rows * columns, to + all_rows * columns, bfloat16{});
}

QuantisedRows quantise(const float* w, Index rows, Index columns) {
  QuantisedRows result{allocate(to_size(rows * columns)), allocate(to_size(rows) * sizeof(float))};
  auto* const scales = static_cast<float*>(result.scales.get());
  kernels::quantise_rows(static_cast<std::uint8_t*>(result.bytes.get()), scales, w, rows, columns,
                         kernels::ByteRange{.zero = 0, .limit = 127});
  for (Index row = 0; row < rows; ++row)
    if (!std::isfinite(scales[row])) fail("int8: row {} of a weight has a number that is not finite", row);
  return result;
}

LowPrecisionWeight::LowPrecisionWeight(const float* w, Index out, Index in, Uses uses)
    : precision_(Precision::bfloat16), out_(out), in_(in), uses_(uses), block_rows_(block_width(out, in)) {
  rounded_ = RoundedMatrix(w, out, in).memory;
  pack(rounded_.get());
  if (!uses.lookup) rounded_ = nullptr;
}

LowPrecisionWeight::LowPrecisionWeight(const QuantisedRows& w, Index out, Index in, Uses uses)
    : precision_(Precision::int8),
      out_(out),
      in_(in),
      uses_(uses),
      block_rows_(block_width(out, in)),
      quantised_(w) {
  if (uses.gradient) fail("int8 has no gradients; use the weights in float32");
  if (uses.product) {
    column_sums_ = allocate(to_size(out) * sizeof(std::int32_t));
    auto* const sums = static_cast<std::int32_t*>(column_sums_.get());
    for (Index row = 0; row < out; ++row) {
      sums[row] = 0;
      for (Index i = 0; i < in; ++i) sums[row] += w.q()[row * in + i];
    }
    pack(w.bytes.get());
  }
  if (!uses.lookup) quantised_.bytes = nullptr;
}

void LowPrecisionWeight::pack(const void* w) {
  const Index size = precision_ == Precision::int8 ? 1 : static_cast<Index>(sizeof(bfloat16));
  const auto from = [&](Index element) { return static_cast<const char*>(w) + element * size; };
  if (uses_.product)
    blocks_ = make_blocks(out_, block_rows_, in_, [&](Index row, Index rows) {
      return std::make_shared<low_precision::PackedMatrix>(precision_, in_, rows, from(row * in_),
                                                           low_precision::Strides{1, in_});
    });
  if (uses_.gradient)
    gradient_blocks_ = make_blocks(in_, usual_block, out_, [&](Index column, Index columns) {
      return std::make_shared<low_precision::PackedMatrix>(precision_, out_, columns, from(column),
                                                           low_precision::Strides{in_, 1});
    });
}

std::shared_ptr<const LowPrecisionWeight> LowPrecisionWeight::rows(Index first, Index last) const {
  if (first % block_rows_ != 0 || (last % block_rows_ != 0 && last != out_))
    fail("rows {} to {} of a {} weight of shape [{}, {}] are not whole blocks of {} rows", first, last,
         to_string(precision_), out_, in_, block_rows_);
  auto part = std::make_shared<LowPrecisionWeight>(*this);
  part->out_ = last - first;
  part->first_ = first_ + first;
  if (uses_.product)
    part->blocks_.assign(blocks_.begin() + first / block_rows_,
                         blocks_.begin() + (last + block_rows_ - 1) / block_rows_);
  return part;
}

void LowPrecisionWeight::product(const RoundedMatrix& x, Index first, Index count, kernels::Matrix y,
                                 const kernels::BlockDone& done) const {
  packed_product(
      count, in_, blocks_, y, blas::Store::overwrite,
      [&](Index row, Index rows, const low_precision::PackedMatrix& block, Index, blas::Matrix<float> to,
          blas::Store store,
          void* memory) { product_into(rows, x.row(first + row), in_, block, to, store, memory); },
      done);
}

// With x = s (u - z), u an unsigned byte, s the scale of the row of x, z the byte of 0, and W = t q:
//   y_ij = sum_k x_ik W_jk = s_i t_j (sum_k u_ik q_jk - z sum_k q_jk)
void LowPrecisionWeight::product(const float* x, Index rows, kernels::Matrix y,
                                 const kernels::BlockDone& done) const {
  const int largest = low_precision::largest_byte();
  const kernels::ByteRange range{.zero = (largest + 1) / 2, .limit = largest / 2};
  const Buffer memory = allocate(to_size(rows * in_)), scales = allocate(to_size(rows) * sizeof(float));
  auto* const bytes = static_cast<std::uint8_t*>(memory.get());
  auto* const row_scales = static_cast<float*>(scales.get());
  kernels::quantise_rows(bytes, row_scales, x, rows, in_, range);
  const float* const column_scales = quantised_.scale() + first_;
  const std::int32_t* const column_sums = static_cast<const std::int32_t*>(column_sums_.get()) + first_;
  packed_product(
      rows, in_, blocks_, y, blas::Store::overwrite,
      [&](Index row, Index count, const low_precision::PackedMatrix& block, Index column,
          blas::Matrix<float> to, blas::Store, void* memory_of_sums) {
        auto* const sums = static_cast<std::int32_t*>(memory_of_sums);
        low_precision::product(count, bytes + row * in_, in_, block, sums);
        kernels::dequantise(to.data, to.stride, sums, count, block.n(),
                            kernels::Dequantisation{row_scales + row, column_scales + column,
                                                    column_sums + column, range.zero});
      },
      done);
}

void LowPrecisionWeight::input_gradient(const RoundedMatrix& dy, kernels::Matrix dx,
                                        blas::Store store) const {
  packed_product(
      dy.rows, out_, gradient_blocks_, dx, store,
      [&](Index row, Index rows, const low_precision::PackedMatrix& block, Index, blas::Matrix<float> to,
          blas::Store how, void* memory) { product_into(rows, dy.row(row), out_, block, to, how, memory); },
      nullptr);
}

void LowPrecisionWeight::gather(float* y, std::span<const std::int32_t> indices, float scale) const {
  if (!uses_.lookup) fail("the rows of this {} weight cannot be looked up", to_string(precision_));
  const Index count = to_index(indices.size());
  if (precision_ == Precision::int8)
    kernels::gather_quantised_rows(y, quantised_.q() + first_ * in_, quantised_.scale() + first_,
                                   indices.data(), count, in_, scale);
  else
    kernels::gather_rounded_rows(y, static_cast<const bfloat16*>(rounded_.get()) + first_ * in_,
                                 indices.data(), count, in_, scale);
}

std::vector<std::span<const std::byte>> LowPrecisionWeight::memory() const {
  std::vector<std::span<const std::byte>> all;
  const auto add = [&](const void* begin, std::size_t bytes) {
    if (begin != nullptr) all.emplace_back(static_cast<const std::byte*>(begin), bytes);
  };
  for (const auto* blocks : {&blocks_, &gradient_blocks_})
    for (const Packed& block : *blocks) add(block->data(), block->bytes());
  const std::size_t rows = to_size(first_ + out_), numbers = rows * to_size(in_);
  add(rounded_.get(), numbers * sizeof(bfloat16));
  add(quantised_.bytes.get(), numbers);
  add(quantised_.scales.get(), rows * sizeof(float));
  add(column_sums_.get(), rows * sizeof(std::int32_t));
  return all;
}

void weight_gradient(const RoundedMatrix& dy, const RoundedMatrix& x, Index first, kernels::Matrix dweight,
                     blas::Store store) {
  const Index out = dy.columns, in = x.columns;
  if (out == 0 || in == 0) return;
  const Index depth = round_up(dy.rows, RoundedMatrix::row_unit);  // the rest of dy is 0
  const ProductCut cut = cut_product(out, in, depth, {256, 256, std::max<Index>(depth / 256, 1)}, {128, 128});
  const auto multiply = [&](const kernels::TileProduct& part) {
    const auto& [block, k, count, to, how, worker] = part;
    low_precision::product(block.rows, block.columns, count, dy.row(k) + block.row, {1, out},
                           x.row(first + k) + block.column, {in, 1}, floats(to), how);
  };
  kernels::product_in_tiles(out, in, depth, cut, dweight, store, multiply, nullptr);
}

}}  // namespace regard::REGARD_PRECISION
