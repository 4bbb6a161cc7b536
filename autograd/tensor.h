#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/machine/memory.h"
#include "autograd/machine/random.h"
#include "autograd/machine/real.h"
#include "autograd/shape.h"
#include "autograd/version.h"

namespace regard { inline namespace REGARD_PRECISION {

struct Node;
class Operation;
class MatrixForm;

/// An array of numbers, row-major and contiguous, that may take part in a computation whose gradient is
/// wanted. A Tensor is a handle: copies share value and gradient. An empty handle (`Tensor()`) holds nothing.
///
/// Tensors that different threads do not share may be used from different threads at the same time.
class Tensor {
 public:
  Tensor() = default;

  /// Contents undefined.
  static Tensor empty(const Shape& shape);
  static Tensor full(const Shape& shape, Real value);                 ///< `value` everywhere
  static Tensor zeros(const Shape& shape) { return full(shape, 0); }  ///< 0 everywhere
  static Tensor ones(const Shape& shape) { return full(shape, 1); }   ///< 1 everywhere
  static Tensor scalar(Real value) { return full({}, value); }        ///< one number, of shape []
  /// Copies the values. Throws Error when their number does not fit the shape.
  static Tensor from(const Shape& shape, std::span<const Real> values);
  static Tensor from(const Shape& shape, std::initializer_list<Real> values);
  /// Numbers drawn from [low, high).
  static Tensor uniform(const Shape& shape, Real low, Real high, Random& random);
  /// Numbers drawn from the normal distribution.
  static Tensor normal(const Shape& shape, Real mean, Real deviation, Random& random);

  explicit operator bool() const { return state_ != nullptr; }  ///< false for an empty handle
  const Shape& shape() const;                                   ///< the extents; Error for an empty handle
  Index rank() const { return shape().rank(); }                 ///< the number of axes
  Index size() const { return shape().size(); }                 ///< the number of elements
  /// The extent of an axis; a negative one counts from the end.
  Index size(Index axis) const { return shape()[axis]; }

  /// The values, to be read and written. After a write to a tensor that operations have used already, call
  /// values_changed().
  Real* data() const;
  std::span<Real> values() const { return {data(), to_size(size())}; }  ///< data() with its size
  /// The value of a tensor of one element. Throws Error for any other.
  Real item() const;
  /// One element: `x.at({2, 0})`. Throws Error when the index lies outside.
  Real at(std::initializer_list<Index> index) const;
  /// Slice i along axis 0, such as a row of a matrix: an operation (ops/shapes.cpp), which shares memory. A
  /// negative i counts from the end. Throws Error for a scalar, and when i lies outside.
  Tensor operator[](Index i) const;
  Tensor clone() const;  ///< a copy of the values, without history

  /// Says that values were written through data(). If a result was computed from the old values, backward()
  /// of it throws Error.
  void values_changed() const { version()->raise(); }
  const std::shared_ptr<Version>& version() const { return state().version; }
  /// The memory of the values, for others that write to it.
  std::shared_ptr<void> memory() const { return {state().value, data()}; }

  /// Asks for the gradient of this tensor. Throws Error if an operation produced the tensor.
  Tensor& set_requires_grad(bool wanted = true);
  bool requires_grad() const { return node() != nullptr; }  ///< true if backward() computes its gradient
  /// The gradient after backward(), sharing memory; empty if there is none.
  Tensor grad() const;
  /// Discards the gradient: the next contribution overwrites it (after move_into: adds to zeros).
  void zero_grad() const;
  /// Gives this leaf other memory: its values move into `values` from element `first` on, and its gradient,
  /// set to zeros, into `gradients`. All its handles use the new memory. From then on contributions to the
  /// gradient always add. Throws Error unless this is a leaf that requires a gradient.
  void move_into(const Tensor& values, const Tensor& gradients, Index first) const;
  /// Keeps the gradient of an inner result, which backward() would release otherwise.
  void retain_grad() const;
  /// Computes the gradients of this scalar with respect to all tensors it depends on (autograd/graph.h).
  void backward() const;
  /// The same values without history.
  Tensor detach() const;
  /// The values from element `first` on, in another shape, without copying and without history. Throws Error
  /// when they do not lie within this tensor.
  Tensor view(const Shape& shape, Index first = 0) const;

  /// True for handles of the same tensor.
  bool is(const Tensor& other) const { return state_ == other.state_; }
  const std::shared_ptr<Node>& node() const;

 private:
  struct State {
    Shape shape;
    Buffer value;
    Real* data;
    std::shared_ptr<Node> node;  ///< null: no gradient is wanted
    std::shared_ptr<Version> version = std::make_shared<Version>();
    /// Null, unless a room holds the matrix in another form than values (ops/linear_products.h).
    std::shared_ptr<const MatrixForm> form = nullptr;
  };
  explicit Tensor(std::shared_ptr<State> state) : state_(std::move(state)) {}
  const State& state() const;

  std::shared_ptr<State> state_;

  friend class Operation;
  friend class MatrixForm;
  friend void take_values(const Tensor& tensor, const Tensor& other);
};

/// Prints shape and values, long axes shortened.
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}}  // namespace regard::REGARD_PRECISION
