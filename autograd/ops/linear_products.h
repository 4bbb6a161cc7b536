#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "autograd/kernels/products.h"
#include "autograd/low_precision/weight.h"
#include "autograd/real.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

/// The three products of a linear layer with the weight W[out, in], for x[rows, in]:
///   y = x W^T      dx = dy W      dW = dy^T x
/// in the precision of the thread (Autocast) or of the weight (nn/quantise.h). It keeps what the backward
/// needs: x and W, or x rounded to bfloat16 and the copy of W.
class LinearProducts {
 public:
  /// Throws Error if a gradient is wanted of products in int8.
  LinearProducts(const Tensor& x, const Tensor& weight);

  /// Rows of dy as the products read them.
  struct Gradient {
    kernels::ConstMatrix values;
    Index rows;
    RoundedMatrix rounded;
  };
  Gradient gradient(const Real* dy, Index rows) const;

  /// y = x W^T for `count` rows of x from `first` on; `done` as in kernels::product.
  void forward(Index first, Index count, kernels::Matrix y, const kernels::BlockDone& done = nullptr) const;
  /// dx = dy W (+ dx)
  void input_gradient(const Gradient& dy, kernels::Matrix dx, blas::Store store) const;
  /// dW = dy^T x (+ dW) for the rows of x from `first` on.
  void weight_gradient(const Gradient& dy, Index first, kernels::Matrix dweight, blas::Store store) const;

  Index rows() const { return rows_; }
  Index in() const { return in_; }
  Index out() const { return out_; }
  /// True if the products round their operands.
  bool rounds() const { return copy_ != nullptr; }

 private:
  void count_rounded(Index rows) const;

  Index rows_, in_, out_;
  Tensor x_;  ///< float32 and int8
  Tensor weight_;
  std::shared_ptr<const LowPrecisionWeight> copy_;  ///< null: float32
  std::shared_ptr<const RoundedMatrix> rounded_x_;  ///< bfloat16
};

/// dx = dy keep_scale where y > 0, else 0, in place on dy: kernels::relu_dropout_backward with a rounded y.
void rounded_relu_dropout_backward(Real* dy, const RoundedMatrix& y, Real keep_scale);

/// The copy of a weight[out, in] for y = x W^T in the precision of the thread or of the weight; null for
/// float32.
std::shared_ptr<const LowPrecisionWeight> low_precision_copy(const Tensor& weight);
/// The copy for dx = dy W in bfloat16. It is made in the backward, when many activations are freed already.
std::shared_ptr<const LowPrecisionWeight> gradient_copy(const Tensor& weight);

/// x[rows, columns] rounded to bfloat16.
RoundedMatrix rounded(const Real* x, Index rows, Index columns);

/// x[rows, columns] rounded to bfloat16. Other products that read x share it.
std::shared_ptr<const RoundedMatrix> rounded(const Tensor& x);

/// y[row] = scale * row ids[row] of a weight that exists in low precision only.
void look_up(const Tensor& y, const Tensor& weight, std::span<const std::int32_t> ids, Real scale);

}}  // namespace regard::REGARD_PRECISION
