#include "autograd/low_precision/quantised_weight.h"

#include <algorithm>
#include <cmath>

#include "autograd/low_precision/rounding.h"
#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

class QuantisedProducts : public LinearProducts {
 public:
  QuantisedProducts(const Tensor& x, std::shared_ptr<const QuantisedWeight> weight)
      : x_(x), weight_(std::move(weight)) {}

  void forward(Index first, Index count, kernels::Matrix y, const kernels::BlockDone& done) const override {
    weight_->product(x_.data() + first * x_.size(1), count, y, done);
  }
  void backward(Index, Index, const Real*, GradSlot, GradSlot) const override {}  // with() refuses

 private:
  Tensor x_;
  std::shared_ptr<const QuantisedWeight> weight_;
};

}  // namespace

QuantisedRows quantise(const Tensor& w) {
  const Index rows = w.size(0), columns = w.size(1);
  QuantisedRows result{rows, columns, allocate(to_size(w.size())), allocate(to_size(rows) * sizeof(float))};
  auto* const scales = static_cast<float*>(result.scales.get());
  kernels::quantise_rows(static_cast<std::uint8_t*>(result.bytes.get()), scales, w.data(), rows, columns,
                         kernels::ByteRange{.zero = 0, .limit = 127});
  for (Index row = 0; row < rows; ++row)
    if (!std::isfinite(scales[row])) fail("int8: row {} of a weight has a number that is not finite", row);
  return result;
}

QuantisedWeight::QuantisedWeight(const QuantisedRows& w, Uses uses) : w_(w), out_(w.rows) {
  if (!uses.product) return;
  const Index in = w.columns;
  column_sums_ = allocate(to_size(out_) * sizeof(std::int32_t));
  auto* const sums = static_cast<std::int32_t*>(column_sums_.get());
  for (Index row = 0; row < out_; ++row) {
    sums[row] = 0;
    for (Index i = 0; i < in; ++i) sums[row] += w.q()[row * in + i];
  }
  for_product_ = PackedBlocks(Precision::int8, in, out_, w.q(), {1, in}, in);
  if (!uses.look_up) w_.bytes = nullptr;
}

std::shared_ptr<const LinearProducts> QuantisedWeight::with(const Tensor& x) const {
  check_no_gradient(x, *this);
  if (!column_sums_)
    fail("the weight of shape {} is not packed for products; call nn::set_precision", to_string(shape()));
  return std::make_shared<QuantisedProducts>(x, shared_from_this());
}

// With x = s (u - z), u an unsigned byte, s the scale of the row of x, z the byte of 0, and W = t q:
//   y_ij = sum_k x_ik W_jk = s_i t_j (sum_k u_ik q_jk - z sum_k q_jk)
void QuantisedWeight::product(const float* x, Index rows, kernels::Matrix y,
                              const kernels::BlockDone& done) const {
  const Index in = w_.columns;
  const int largest = low_precision::largest_byte();
  const kernels::ByteRange range{.zero = (largest + 1) / 2, .limit = largest / 2};
  const Buffer memory = allocate(to_size(rows * in)), scales = allocate(to_size(rows) * sizeof(float));
  auto* const bytes = static_cast<std::uint8_t*>(memory.get());
  auto* const row_scales = static_cast<float*>(scales.get());
  kernels::quantise_rows(bytes, row_scales, x, rows, in, range);
  const float* const column_scales = w_.scale() + first_;
  const std::int32_t* const column_sums = static_cast<const std::int32_t*>(column_sums_.get()) + first_;
  for_product_.product(
      rows, y, blas::Store::overwrite,
      [&](Index row, Index count, const low_precision::PackedMatrix& block, Index column, kernels::Matrix to,
          blas::Store, void* memory_of_sums) {
        auto* const sums = static_cast<std::int32_t*>(memory_of_sums);
        low_precision::product(count, bytes + row * in, in, block, sums);
        kernels::dequantise(to.data, to.stride, sums, count, block.n(),
                            kernels::Dequantisation{row_scales + row, column_scales + column,
                                                    column_sums + column, range.zero});
      },
      done);
}

void QuantisedWeight::look_up(float* y, std::span<const std::int32_t> ids, float scale) const {
  if (!w_.bytes) fail("the rows of this int8 weight cannot be looked up");
  kernels::gather_quantised_rows(y, w_.q() + first_ * w_.columns, w_.scale() + first_, ids.data(),
                                 to_index(ids.size()), w_.columns, scale);
}

std::shared_ptr<const MatrixForm> QuantisedWeight::rows(Index first, Index last) const {
  auto part = std::make_shared<QuantisedWeight>(*this);
  part->out_ = last - first;
  part->first_ = first_ + first;
  part->for_product_ = for_product_.columns(first, last, name());
  return part;
}

std::shared_ptr<const MatrixForm> QuantisedWeight::rows(std::span<const std::int32_t> ids) const {
  if (!w_.bytes) fail("the rows of this int8 weight cannot be looked up");
  const Index count = to_index(ids.size()), in = w_.columns;
  QuantisedRows chosen{count, in, allocate(to_size(count * in)), allocate(ids.size() * sizeof(float))};
  auto* q = static_cast<std::int8_t*>(chosen.bytes.get());
  auto* scale = static_cast<float*>(chosen.scales.get());
  for (const std::int32_t id : ids) {
    q = std::copy_n(w_.q() + (first_ + id) * in, in, q);
    *scale++ = w_.scale()[first_ + id];
  }
  return std::make_shared<QuantisedWeight>(chosen, Uses{.product = column_sums_ != nullptr});
}

std::vector<std::span<const std::byte>> QuantisedWeight::memory() const {
  std::vector<std::span<const std::byte>> all;
  for_product_.add_memory(all);
  add_memory(all, w_.bytes, w_.rows * w_.columns);
  add_memory(all, w_.scales, w_.rows * to_index(sizeof(float)));
  add_memory(all, column_sums_, w_.rows * to_index(sizeof(std::int32_t)));
  return all;
}

}}  // namespace regard::REGARD_PRECISION
