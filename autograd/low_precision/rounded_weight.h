#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "autograd/low_precision/packed_blocks.h"
#include "autograd/machine/memory.h"
#include "autograd/machine/real.h"
#include "autograd/ops/linear_products.h"
#include "autograd/tensor.h"

// Products of linear layers in bfloat16.

namespace regard { inline namespace REGARD_PRECISION {

/// A matrix of activations or gradients, [rows, columns], rounded to bfloat16. Behind its last row lie zeros,
/// so that a sum over the rows may run on to a multiple of `row_unit`.
struct RoundedMatrix {
  static constexpr Index row_unit = 64;

  RoundedMatrix(const float* x, Index row_count, Index column_count);
  const low_precision::bfloat16* row(Index i) const {
    return static_cast<const low_precision::bfloat16*>(memory.get()) + i * columns;
  }
  /// Elements begin .. end, written to `room`.
  const float* read(Index begin, Index end, float* room) const;

  Index rows, columns;
  Buffer memory;
};

/// x, with all leading axes as rows. It is rounded once for all operations of the thread's Autocast that read
/// it.
std::shared_ptr<const RoundedMatrix> rounded(const Tensor& x);

/// W[out, in] rounded to bfloat16, packed as the products read it:
///   y = x W^T      dx = dy W
class RoundedWeight : public MatrixForm, public std::enable_shared_from_this<RoundedWeight> {
 public:
  enum class Use { products, products_and_look_up };
  RoundedWeight() = default;
  RoundedWeight(const Tensor& weight, Use use);

  Shape shape() const override { return {out_, in_}; }
  const char* name() const override { return "bfloat16"; }
  /// Products without gradients. Throws Error if one is wanted.
  std::shared_ptr<const LinearProducts> with(const Tensor& x) const override;
  void look_up(float* y, std::span<const std::int32_t> ids, float scale) const override;
  std::shared_ptr<const MatrixForm> rows(Index first, Index last) const override;
  std::shared_ptr<const MatrixForm> rows(std::span<const std::int32_t> ids) const override;
  std::vector<std::span<const std::byte>> memory() const override;

  /// y = x W^T for `count` rows of x from `first` on; `done` as in kernels::product.
  void product(const RoundedMatrix& x, Index first, Index count, kernels::Matrix y,
               const kernels::BlockDone& done) const;
  /// dx = dy W (+ dx). The first call packs W for it, from the same `weight` as the constructor; the memory
  /// of many activations is free again by then.
  void input_gradient(const RoundedMatrix& dy, const Tensor& weight, GradSlot dx) const;

 private:
  Index out_ = 0, in_ = 0;
  PackedBlocks for_product_;
  mutable std::once_flag gradient_once_;
  mutable PackedBlocks for_gradient_;
  Index first_ = 0;  ///< row of the look-ups with which this matrix begins
  Buffer numbers_;   ///< for look-ups
};

/// A weight in float32 whose products compute with its rounded copy. They round x and dy.
LinearWeight rounded_products(const Tensor& weight, std::shared_ptr<const RoundedWeight> copy);

/// dW[out, in] = dy^T x (+ dW) for all rows of dy[rows, out] and as many of x[rows, in] from `first` on.
void weight_gradient(const RoundedMatrix& dy, const RoundedMatrix& x, Index first, kernels::Matrix dweight,
                     blas::Store store);

}}  // namespace regard::REGARD_PRECISION
