#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "autograd/kernels/grad_slot.h"
#include "autograd/kernels/products.h"
#include "autograd/machine/real.h"
#include "autograd/tensor.h"

// The products of linear layers, for the operations that have some: linear, linear with an
// activation, conv2d, linear_cross_entropy. They multiply numbers of type Real, unless another implementation
// is used: if the weight is a MatrixForm, or if the thread has ProductRules.

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

/// A matrix W[out, in] as such products read it: gives those with an x. Threads may share it.
using LinearWeight = std::function<std::shared_ptr<const LinearProducts>(const Tensor& x)>;

/// A matrix that has no numbers of type Real, only another form of them. A tensor can have one instead of
/// values, as the weight of products and look-ups. All other operations on it throw Error.
class MatrixForm {
 public:
  /// A tensor with this form.
  static Tensor tensor(std::shared_ptr<const MatrixForm> form);
  /// The form of such a tensor; null for any other tensor.
  static const std::shared_ptr<const MatrixForm>& of(const Tensor& tensor);
  /// Replaces the values of a tensor and of all its handles by a form. It needs no gradient any more.
  static void replace(const Tensor& tensor, std::shared_ptr<const MatrixForm> form);

  virtual ~MatrixForm() = default;
  virtual std::shared_ptr<const LinearProducts> with(const Tensor& x) const = 0;
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

/// `tensor` and all its handles use the memory, or the form, of `other` from now on. Throws Error unless the
/// shapes are equal.
void take_values(const Tensor& tensor, const Tensor& other);

/// Values that a backward will read: gives elements begin .. end, in place or written to `room`.
using SavedValues = std::function<const Real*(Index begin, Index end, Real* room)>;

/// Decides how weights are multiplied and how values are saved while an OnThread<const ProductRules> exists.
/// Without one, products are in Real.
struct ProductRules {
  std::function<LinearWeight(const Tensor& weight)> weight;
  /// For a tensor that a product reads next, so that the graph keeps one form of it.
  std::function<SavedValues(const Tensor& x)> save;
};

/// The weight as the products of this thread read it.
LinearWeight linear_weight(const Tensor& weight);
/// The values as the operations of this thread keep them.
SavedValues save_values(const Tensor& x);

}}  // namespace regard::REGARD_PRECISION
