#include "autograd/low_precision/rounded_weight.h"

#include <algorithm>

#include "autograd/low_precision/autocast.h"
#include "autograd/low_precision/rounding.h"
#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION {

using low_precision::bfloat16;

namespace {

/// C[rows, n] = A B (+ C), where C may be a part of a wider matrix. The library's fast kernels write only
/// matrices without gaps between their rows, so they write to `memory` if C has gaps.
void product_into(Index rows, const bfloat16* a, Index a_stride, const low_precision::PackedMatrix& b,
                  kernels::Matrix c, blas::Store store, void* memory) {
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

/// C = A B (+ C) for rows of A from `first` on.
void product(const PackedBlocks& b, const RoundedMatrix& a, Index first, Index count, kernels::Matrix c,
             blas::Store store, const kernels::BlockDone& done) {
  b.product(
      count, c, store,
      [&](Index row, Index rows, const low_precision::PackedMatrix& block, Index, kernels::Matrix to,
          blas::Store how,
          void* memory) { product_into(rows, a.row(first + row), a.columns, block, to, how, memory); },
      done);
}

RoundedMatrix rounded_rows(const Tensor& x) {
  return {x.data(), x.size() / std::max<Index>(x.size(-1), 1), x.size(-1)};
}

class RoundedProducts : public LinearProducts {
 public:
  RoundedProducts(std::shared_ptr<const RoundedMatrix> x, std::shared_ptr<const RoundedWeight> copy,
                  const Tensor& weight)
      : x_(std::move(x)), copy_(std::move(copy)), weight_(weight) {}

  void forward(Index first, Index count, kernels::Matrix y, const kernels::BlockDone& done) const override {
    copy_->product(*x_, first, count, y, done);
  }

  void backward(Index first, Index count, const Real* dy, GradSlot dx, GradSlot dweight) const override {
    const RoundedMatrix rounded_dy(dy, count, copy_->shape()[0]);
    if (dx) copy_->input_gradient(rounded_dy, weight_, dx);
    if (dweight)
      weight_gradient(rounded_dy, *x_, first, {dweight.data, x_->columns}, kernels::store(dweight));
  }

 private:
  std::shared_ptr<const RoundedMatrix> x_;
  std::shared_ptr<const RoundedWeight> copy_;
  Tensor weight_;
};

}  // namespace

RoundedMatrix::RoundedMatrix(const float* x, Index row_count, Index column_count)
    : rows(row_count), columns(column_count) {
  const Index all_rows = round_up(rows, row_unit) + row_unit;
  memory = allocate(to_size(all_rows * columns) * sizeof(bfloat16));
  auto* const to = static_cast<bfloat16*>(memory.get());
  kernels::round_to_bfloat16(to, x, rows * columns);
  std::fill(to + rows * columns, to + all_rows * columns, bfloat16{});
}

const float* RoundedMatrix::read(Index begin, Index end, float* room) const {
  kernels::widen_bfloat16(room, row(0) + begin, end - begin);
  return room;
}

std::shared_ptr<const RoundedMatrix> rounded(const Tensor& x) {
  const auto round = [&] { return std::make_shared<RoundedMatrix>(rounded_rows(x)); };
  Autocast* const autocast = OnThread<Autocast>::innermost();
  if (autocast == nullptr) return round();
  return autocast->copies().find_or_make<RoundedMatrix>(x, RoundedCopies::Use::rows, round);
}

RoundedWeight::RoundedWeight(const Tensor& weight, Use use) : out_(weight.size(0)), in_(weight.size(1)) {
  const RoundedMatrix numbers = rounded_rows(weight);
  for_product_ = PackedBlocks(Precision::bfloat16, in_, out_, numbers.row(0), {1, in_}, in_);
  if (use == Use::products_and_look_up) numbers_ = numbers.memory;
}

std::shared_ptr<const LinearProducts> RoundedWeight::with(const Tensor& x) const {
  check_no_gradient(x, *this);
  return std::make_shared<RoundedProducts>(std::make_shared<RoundedMatrix>(rounded_rows(x)),
                                           shared_from_this(), Tensor());
}

LinearWeight rounded_products(const Tensor& weight, std::shared_ptr<const RoundedWeight> copy) {
  return [weight, copy = std::move(copy)](const Tensor& x) {
    return std::make_shared<RoundedProducts>(rounded(x), copy, weight);
  };
}

void RoundedWeight::product(const RoundedMatrix& x, Index first, Index count, kernels::Matrix y,
                            const kernels::BlockDone& done) const {
  regard::product(for_product_, x, first, count, y, blas::Store::overwrite, done);
}

void RoundedWeight::input_gradient(const RoundedMatrix& dy, const Tensor& weight, GradSlot dx) const {
  std::call_once(gradient_once_, [&] {
    for_gradient_ =
        PackedBlocks(Precision::bfloat16, out_, in_, rounded_rows(weight).row(0), {in_, 1}, /*part=*/0);
  });
  regard::product(for_gradient_, dy, 0, dy.rows, {dx.data, in_}, kernels::store(dx), nullptr);
}

void RoundedWeight::look_up(float* y, std::span<const std::int32_t> ids, float scale) const {
  kernels::gather_rounded_rows(y, static_cast<const bfloat16*>(numbers_.get()) + first_ * in_, ids.data(),
                               to_index(ids.size()), in_, scale);
}

std::shared_ptr<const MatrixForm> RoundedWeight::rows(Index first, Index last) const {
  auto part = std::make_shared<RoundedWeight>();
  part->out_ = last - first;
  part->in_ = in_;
  part->for_product_ = for_product_.columns(first, last, name());
  part->first_ = first_ + first;
  part->numbers_ = numbers_;
  return part;
}

std::shared_ptr<const MatrixForm> RoundedWeight::rows(std::span<const std::int32_t> ids) const {
  if (!numbers_) fail("the rows of this bfloat16 weight cannot be looked up");
  auto chosen = std::make_shared<RoundedWeight>();
  chosen->out_ = to_index(ids.size());
  chosen->in_ = in_;
  const Buffer numbers = allocate(ids.size() * to_size(in_) * sizeof(bfloat16));
  auto* to = static_cast<bfloat16*>(numbers.get());
  for (const std::int32_t id : ids)
    to = std::copy_n(static_cast<const bfloat16*>(numbers_.get()) + (first_ + id) * in_, in_, to);
  chosen->for_product_ =
      PackedBlocks(Precision::bfloat16, in_, chosen->out_, numbers.get(), {1, in_}, /*part=*/in_);
  return chosen;
}

std::vector<std::span<const std::byte>> RoundedWeight::memory() const {
  std::vector<std::span<const std::byte>> all;
  for_product_.add_memory(all);
  add_memory(all, numbers_, (first_ + out_) * in_ * to_index(sizeof(bfloat16)));
  return all;
}

void weight_gradient(const RoundedMatrix& dy, const RoundedMatrix& x, Index first, kernels::Matrix dweight,
                     blas::Store store) {
  const Index out = dy.columns, in = x.columns;
  if (out == 0 || in == 0) return;
  const Index depth = round_up(dy.rows, RoundedMatrix::row_unit);  // the rest of dy is 0
  const ProductCut cut = cut_product(out, in, depth, {512, 512, std::max<Index>(depth / 256, 1)}, {128, 128});
  const auto multiply = [&](const kernels::TileProduct& part) {
    low_precision::product(part.block.rows, part.block.columns, part.depth,
                           dy.row(part.first) + part.block.row, {1, out},
                           x.row(first + part.first) + part.block.column, {in, 1}, part.to, part.store);
  };
  kernels::product_in_tiles(out, in, depth, cut, dweight, store, multiply, nullptr);
}

}}  // namespace regard::REGARD_PRECISION
