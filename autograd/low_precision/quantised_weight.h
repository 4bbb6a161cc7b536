#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "autograd/low_precision/packed_blocks.h"
#include "autograd/machine/memory.h"
#include "autograd/machine/real.h"
#include "autograd/ops/linear_products.h"
#include "autograd/tensor.h"

// Products of linear layers in int8, for trained models.

namespace regard { inline namespace REGARD_PRECISION {

/// Numbers of 8 bits, [rows, columns], and a scale for each row: W = scale q.
struct QuantisedRows {
  Index rows, columns;
  Buffer bytes;   ///< q as signed bytes
  Buffer scales;  ///< float32
  const std::int8_t* q() const { return static_cast<const std::int8_t*>(bytes.get()); }
  const float* scale() const { return static_cast<const float*>(scales.get()); }
};

/// scale = max |row| / 127. Throws Error if a number is not finite.
QuantisedRows quantise(const Tensor& w);

/// W[out, in] in int8.
class QuantisedWeight : public MatrixForm, public std::enable_shared_from_this<QuantisedWeight> {
 public:
  /// Which operations will read the matrix. Only what they need is kept in memory, and a product throws Error
  /// unless `product` is set.
  struct Uses {
    bool product = false;  ///< y = x W^T
    bool look_up = false;
  };
  QuantisedWeight(const QuantisedRows& w, Uses uses);

  Shape shape() const override { return {out_, w_.columns}; }
  const char* name() const override { return "int8"; }
  /// Products without gradients. Throws Error if one is wanted.
  std::shared_ptr<const LinearProducts> with(const Tensor& x) const override;
  void look_up(float* y, std::span<const std::int32_t> ids, float scale) const override;
  std::shared_ptr<const MatrixForm> rows(Index first, Index last) const override;
  std::shared_ptr<const MatrixForm> rows(std::span<const std::int32_t> ids) const override;
  std::vector<std::span<const std::byte>> memory() const override;

  /// The numbers; without bytes if they are for products alone.
  const QuantisedRows& numbers() const { return w_; }
  /// y = x W^T for x[rows, in], which is quantised row by row; `done` as in kernels::product.
  void product(const float* x, Index rows, kernels::Matrix y, const kernels::BlockDone& done) const;

 private:
  QuantisedRows w_;
  Index out_, first_ = 0;  ///< rows of w_ that are this matrix
  PackedBlocks for_product_;
  Buffer column_sums_;  ///< for each row of w_, the sum of its numbers, as int32
};

}}  // namespace regard::REGARD_PRECISION
