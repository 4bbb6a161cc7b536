#include "autograd/kernels/elementwise.h"

#include <algorithm>
#include <cmath>

#include "autograd/graph.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops.h"

namespace regard::inline REGARD_PRECISION {

namespace {

/// y = value(x), dx = dy slope(x, y), element by element.
template <class Value, class Slope>
Tensor unary(const char* name, const Tensor& x, const Value& value, const Slope& slope) {
  const Operation op(name);
  const Tensor y = Tensor::empty(x.shape());
  parallel_for(x.size(), block_size(x.size(), 1),
               [&, from = x.data(), to = y.data()](Index begin, Index end) {
                 for (Index i = begin; i < end; ++i) to[i] = value(from[i]);
               });
  return op.record(y, {x}, [x, saved = y.detach(), slope](BackwardContext& context) {
    const GradSlot dx = context.input_grad(0);
    const Real *const dy = context.output_grad(), *const x_data = x.data(), *const y_data = saved.data();
    parallel_for(x.size(), block_size(x.size(), 1), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) dx.put(i, dy[i] * slope(x_data[i], y_data[i]));
    });
  });
}

/// Walks through the elements of a broadcast result and of both operands in step: an operand does not move
/// along an axis where its extent is 1.
class Broadcast {
 public:
  Broadcast(const Operation& op, const Shape& a, const Shape& b)
      : shape_(broadcast(op.name(), a, b)), a_strides_(strides(a)), b_strides_(strides(b)) {}

  const Shape& shape() const { return shape_; }

  /// Calls visit(index in the result, index in a, index in b) for each element of the result, in order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const auto axes = to_size(shape_.rank());
    const Index size = shape_.size(), columns = axes == 0 ? 1 : shape_.extents().back();
    const Index a_step = axes == 0 ? 0 : a_strides_.back(), b_step = axes == 0 ? 0 : b_strides_.back();
    std::vector<Index> index(axes, 0);  // of the row: the last one stays 0
    Index in_a = 0, in_b = 0;
    for (Index first = 0; first < size; first += columns) {
      for (Index i = 0; i < columns; ++i) visit(first + i, in_a + i * a_step, in_b + i * b_step);
      for (std::size_t axis = axes; axis-- > 1;) {
        const std::size_t outer = axis - 1;
        in_a += a_strides_[outer];
        in_b += b_strides_[outer];
        const Index extent = shape_.extents()[outer];
        if (++index[outer] < extent) break;
        in_a -= extent * a_strides_[outer];
        in_b -= extent * b_strides_[outer];
        index[outer] = 0;
      }
    }
  }

 private:
  std::vector<Index> strides(const Shape& operand) const {
    std::vector<Index> result(to_size(shape_.rank()), 0);
    for (Index axis = 1; axis <= operand.rank(); ++axis)
      if (operand[-axis] != 1)
        result[to_size(shape_.rank() - axis)] = operand.size_from(operand.rank() - axis + 1);
    return result;
  }

  Shape shape_;
  std::vector<Index> a_strides_, b_strides_;
};

/// Calls visit(i, i, i) on all threads if nothing is broadcast, else for_each on one thread.
template <class Visit>
void for_each_pair(const Broadcast& pairs, bool same_shape, const Visit& visit) {
  if (!same_shape) return pairs.for_each(visit);
  parallel_for(pairs.shape().size(), block_size(pairs.shape().size(), 1), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) visit(i, i, i);
  });
}

/// y = value(a, b)
template <class Value>
Tensor binary_forward(const Broadcast& pairs, const Tensor& a, const Tensor& b, const Value& value) {
  const Tensor y = Tensor::empty(pairs.shape());
  for_each_pair(pairs, a.shape() == b.shape(),
                [&, to = y.data(), a_data = a.data(), b_data = b.data()](Index i, Index in_a, Index in_b) {
                  to[i] = value(a_data[in_a], b_data[in_b]);
                });
  return y;
}

/// Operand `input` gets contribution(i, index in a, index in b). An element that is broadcast gets the sum
/// over its repetitions.
template <class Contribution>
void binary_backward(const BackwardContext& context, std::size_t input, const Shape& operand,
                     const Broadcast& pairs, bool same_shape, const Contribution& contribution) {
  GradSlot slot = context.input_grad(input);
  if (!slot) return;
  slot.start_with_zeros(operand.size());
  for_each_pair(pairs, same_shape, [&](Index i, Index in_a, Index in_b) {
    slot.data[input == 0 ? in_a : in_b] += contribution(i, in_a, in_b);
  });
}

/// y = a + sign b, da = dy, db = sign dy: the operands' values are not needed again.
Tensor add_signed(const char* name, const Tensor& a, const Tensor& b, Real sign) {
  const Operation op(name);
  const Broadcast pairs(op, a.shape(), b.shape());
  const Tensor y = binary_forward(pairs, a, b, [=](Real x, Real z) { return x + sign * z; });
  return op.record(y, {a, b}, [=, a_shape = a.shape(), b_shape = b.shape()](BackwardContext& context) {
    const Real* const dy = context.output_grad();
    const bool same = a_shape == b_shape;
    binary_backward(context, 0, a_shape, pairs, same, [=](Index i, Index, Index) { return dy[i]; });
    binary_backward(context, 1, b_shape, pairs, same, [=](Index i, Index, Index) { return sign * dy[i]; });
  });
}

/// y = value(a, b), da = dy a_slope(a, b), db = dy b_slope(a, b)
template <class Value, class ASlope, class BSlope>
Tensor binary(const char* name, const Tensor& a, const Tensor& b, const Value& value, const ASlope& a_slope,
              const BSlope& b_slope) {
  const Operation op(name);
  const Broadcast pairs(op, a.shape(), b.shape());
  return op.record(binary_forward(pairs, a, b, value), {a, b}, [=](BackwardContext& context) {
    const Real *const dy = context.output_grad(), *const a_data = a.data(), *const b_data = b.data();
    const auto backward = [&](std::size_t input, const Tensor& operand, const auto& slope) {
      binary_backward(
          context, input, operand.shape(), pairs, a.shape() == b.shape(),
          [&](Index i, Index in_a, Index in_b) { return dy[i] * slope(a_data[in_a], b_data[in_b]); });
    };
    backward(0, a, a_slope);
    backward(1, b, b_slope);
  });
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) { return add_signed("add", a, b, 1); }
Tensor subtract(const Tensor& a, const Tensor& b) { return add_signed("subtract", a, b, -1); }

Tensor multiply(const Tensor& a, const Tensor& b) {
  return binary(
      "multiply", a, b, [](Real x, Real y) { return x * y; }, [](Real, Real y) { return y; },
      [](Real x, Real) { return x; });
}

Tensor divide(const Tensor& a, const Tensor& b) {
  return binary(
      "divide", a, b, [](Real x, Real y) { return x / y; }, [](Real, Real y) { return 1 / y; },
      [](Real x, Real y) { return -x / (y * y); });
}

Tensor exp(const Tensor& x) {
  return unary(
      "exp", x, [](Real v) { return std::exp(v); }, [](Real, Real y) { return y; });
}

Tensor log(const Tensor& x) {
  return unary(
      "log", x, [](Real v) { return std::log(v); }, [](Real v, Real) { return 1 / v; });
}

Tensor sqrt(const Tensor& x) {
  return unary(
      "sqrt", x, [](Real v) { return std::sqrt(v); }, [](Real, Real y) { return 1 / (2 * y); });
}

Tensor pow(const Tensor& x, Real exponent) {
  return unary(
      "pow", x, [=](Real v) { return std::pow(v, exponent); },
      [=](Real v, Real) { return exponent == 0 ? 0 : exponent * std::pow(v, exponent - 1); });
}

namespace {

/// y = f(x)
Tensor activation(const char* name, const Tensor& x, kernels::Activation f) {
  const Operation op(name);
  const Tensor y = Tensor::empty(x.shape());
  kernels::activation_forward(f, y.data(), x.data(), x.size());
  return op.record(y, {x}, [f, saved = reads_output(f) ? y.detach() : x](BackwardContext& context) {
    kernels::activation_backward(f, context.input_grad(0), context.output_grad(), saved.data(), saved.size());
  });
}

}  // namespace

// The equations stand in autograd/kernels/elementwise.h.

Tensor relu(const Tensor& x) { return activation("relu", x, kernels::Activation::relu); }
Tensor tanh(const Tensor& x) { return activation("tanh", x, kernels::Activation::tanh); }
Tensor sigmoid(const Tensor& x) { return activation("sigmoid", x, kernels::Activation::sigmoid); }
Tensor gelu(const Tensor& x) { return activation("gelu", x, kernels::Activation::gelu); }
Tensor silu(const Tensor& x) { return activation("silu", x, kernels::Activation::silu); }

}  // namespace regard::REGARD_PRECISION
