#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "autograd/kernels/products.h"
#include "autograd/low_precision/products.h"
#include "autograd/memory.h"
#include "autograd/precision.h"
#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION {

using low_precision::bfloat16;

/// A matrix of activations or gradients, [rows, columns], rounded to bfloat16. Behind its last row lie zeros,
/// so that a sum over the rows may run on to a multiple of `row_unit`.
struct RoundedMatrix {
  static constexpr Index row_unit = 64;

  RoundedMatrix() = default;
  RoundedMatrix(const float* x, Index row_count, Index column_count);
  const bfloat16* row(Index i) const { return static_cast<const bfloat16*>(memory.get()) + i * columns; }

  Index rows = 0, columns = 0;
  Buffer memory;
};

/// Numbers of 8 bits, [rows, columns], and a scale for each row: W = scale q.
struct QuantisedRows {
  Buffer bytes;   ///< q as signed bytes
  Buffer scales;  ///< float32
  const std::int8_t* q() const { return static_cast<const std::int8_t*>(bytes.get()); }
  const float* scale() const { return static_cast<const float*>(scales.get()); }
};

/// scale = max |row| / 127. Throws Error if a number is not finite.
QuantisedRows quantise(const float* w, Index rows, Index columns);

/// A copy of the weight W[out, in] of a linear layer in bfloat16 or int8, packed as the products read it:
///   y = x W^T      dx = dy W (bfloat16)
class LowPrecisionWeight {
 public:
  /// What the copy is for.
  struct Uses {
    bool product = true;    ///< y = x W^T
    bool gradient = false;  ///< dx = dy W
    bool lookup = false;    ///< rows are looked up, as in an embedding
  };

  /// Rounds w to bfloat16.
  LowPrecisionWeight(const float* w, Index out, Index in, Uses uses);
  /// Packs numbers of 8 bits.
  LowPrecisionWeight(const QuantisedRows& w, Index out, Index in, Uses uses);

  Precision precision() const { return precision_; }
  Index out() const { return out_; }
  Index in() const { return in_; }
  const Uses& uses() const { return uses_; }
  /// The numbers of 8 bits of a copy for look-ups.
  const QuantisedRows& quantised() const { return quantised_; }
  /// All memory that the matrix holds.
  std::vector<std::span<const std::byte>> memory() const;

  /// Rows first .. last of this matrix, sharing memory. Throws Error unless they begin and end where blocks
  /// do, as multiples of `in` do.
  std::shared_ptr<const LowPrecisionWeight> rows(Index first, Index last) const;

  /// y = x W^T in bfloat16 for `count` rows of x from `first` on; `done` as in kernels::product.
  void product(const RoundedMatrix& x, Index first, Index count, kernels::Matrix y,
               const kernels::BlockDone& done) const;
  /// y = x W^T in int8, for x[rows, in], which is quantised row by row.
  void product(const float* x, Index rows, kernels::Matrix y, const kernels::BlockDone& done) const;
  /// dx = dy W (+ dx)
  void input_gradient(const RoundedMatrix& dy, kernels::Matrix dx, blas::Store store) const;
  /// y[row] = scale * row indices[row] of W.
  void gather(float* y, std::span<const std::int32_t> indices, float scale) const;

 private:
  using Packed = std::shared_ptr<const low_precision::PackedMatrix>;

  void pack(const void* w);

  Precision precision_;
  Index out_, in_;
  Uses uses_;
  Index block_rows_;                     ///< rows of W in each block but the last
  std::vector<Packed> blocks_;           ///< W^T for a block of rows of W
  std::vector<Packed> gradient_blocks_;  ///< W for a block of its columns
  Buffer column_sums_;                   ///< int8: for each row of W, the sum of its numbers, as int32
  Index first_ = 0;                      ///< row of scales, sums and look-ups with which this matrix begins
  Buffer rounded_;                       ///< bfloat16, for look-ups
  QuantisedRows quantised_;              ///< int8: the scales and, for look-ups, the numbers
};

/// dW[out, in] = dy^T x (+ dW) for all rows of dy[rows, out] and as many of x[rows, in] from `first` on.
void weight_gradient(const RoundedMatrix& dy, const RoundedMatrix& x, Index first, kernels::Matrix dweight,
                     blas::Store store);

}}  // namespace regard::REGARD_PRECISION
