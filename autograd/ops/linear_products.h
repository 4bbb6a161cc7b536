#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "autograd/kernels/grad_slot.h"
#include "autograd/kernels/products.h"
#include "autograd/machine/real.h"
#include "autograd/tensor.h"

// The products of linear layers, for the operations that have some: linear, linear with an
// activation, conv2d, linear_cross_entropy. They multiply numbers of type Real, unless another implementation
// is used: if the weight is a MatrixForm (Tensor::of), or if the thread has ProductRules.

namespace regard { inline namespace REGARD_PRECISION {

/// The three products of a linear layer, for one x[rows, in] and one W[out, in]:
///   y = x W^T      dx = dy W      dW = dy^T x
/// It holds what the backward needs of x and W.
class LinearProducts {
 public:
  virtual ~LinearProducts() = default;
  /// y = x W^T for `count` rows of x from `first` on; `done` as in kernels::product.
  virtual void forward(Index first, Index count, kernels::Matrix y,
                       const kernels::BlockDone& done = nullptr) const = 0;
  /// First dx = dy W (+ dx), then dW = dy^T x (+ dW), for `count` rows of dy and those of x from `first` on.
  /// A gradient whose slot is empty is left out.
  virtual void backward(Index first, Index count, const Real* dy, GradSlot dx, GradSlot dweight) const = 0;
};

/// A matrix W[out, in] as such products read it. Threads may share it.
class LinearWeight {
 public:
  virtual ~LinearWeight() = default;
  virtual std::shared_ptr<const LinearProducts> with(const Tensor& x) const = 0;
};

/// A matrix that has no numbers of type Real, only another form of them. A tensor can be one (Tensor::of),
/// as the weight of products and look-ups.
class MatrixForm : public LinearWeight {
 public:
  virtual Shape shape() const = 0;
  /// For messages.
  virtual const char* name() const = 0;
  /// y[row] = scale * row ids[row].
  virtual void look_up(Real* y, std::span<const std::int32_t> ids, Real scale) const = 0;
  /// Rows first .. last, sharing memory. Throws Error if the form has no such part.
  virtual std::shared_ptr<const MatrixForm> rows(Index first, Index last) const = 0;
  /// A matrix with row ids[i] as its row i, in memory of its own. Throws Error if the form has no look-ups.
  virtual std::shared_ptr<const MatrixForm> rows(std::span<const std::int32_t> ids) const = 0;
  /// All memory that the matrix holds.
  virtual std::vector<std::span<const std::byte>> memory() const = 0;
};

/// Values that a backward will read.
class SavedValues {
 public:
  virtual ~SavedValues() = default;
  /// Elements begin .. end: in place, or written to `room`.
  virtual const Real* read(Index begin, Index end, Real* room) const = 0;
};

/// Decides how weights are multiplied and how values are saved, on a thread with an OnThread<ProductRules>.
/// Without one, products are in Real.
class ProductRules {
 public:
  virtual ~ProductRules() = default;
  virtual std::shared_ptr<const LinearWeight> weight(const Tensor& weight) = 0;
  /// For a tensor that a product reads next, so that the graph keeps one form of it.
  virtual std::shared_ptr<const SavedValues> save(const Tensor& x) = 0;
};

/// The weight as the products of this thread read it.
std::shared_ptr<const LinearWeight> linear_weight(const Tensor& weight);
/// The values as the operations of this thread keep them.
std::shared_ptr<const SavedValues> save_values(const Tensor& x);

}}  // namespace regard::REGARD_PRECISION
