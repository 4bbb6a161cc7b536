#include "autograd/kernels/elementwise.h"

#include <algorithm>
#include <cmath>

#include "autograd/graph.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// Calls visit(i) for each element, on all threads.
template <class Visit>
void for_each_element(Index size, const Visit& visit) {
  parallel_for(size, block_size(size, 1), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) visit(i);
  });
}

/// y = value(x), dx = dy slope(x, y), element by element.
template <class Value, class Slope>
Tensor unary(const char* name, const Tensor& x, const Value& value, const Slope& slope) {
  const Operation op(name);
  const Tensor y = Tensor::empty(x.shape());
  for_each_element(x.size(), [&, from = x.data(), to = y.data()](Index i) { to[i] = value(from[i]); });
  return op.record(y, {x}, [x, saved = y.detach(), slope](BackwardContext& context) {
    const GradSlot dx = context.input_grad(0);
    const Real *const dy = context.output_grad(), *const x_data = x.data(), *const y_data = saved.data();
    for_each_element(x.size(), [&](Index i) { dx.put(i, dy[i] * slope(x_data[i], y_data[i])); });
  });
}

/// Calls visit(index in the result, index in x) for each element of x repeated to `shape`, in order: x does
/// not move along an axis where its extent is 1.
template <class Visit>
void for_each_repeated(const Shape& x, const Shape& shape, const Visit& visit) {
  const auto axes = to_size(shape.rank());
  std::vector<Index> steps(axes, 0), index(axes, 0);  // the last index stays 0: it is that of a row
  for (Index axis = 1; axis <= x.rank(); ++axis)
    if (x[-axis] != 1) steps[to_size(shape.rank() - axis)] = x.size_from(x.rank() - axis + 1);
  const Index size = shape.size(), columns = axes == 0 ? 1 : shape[-1], step = axes == 0 ? 0 : steps.back();
  Index in_x = 0;
  for (Index first = 0; first < size; first += columns) {
    for (Index i = 0; i < columns; ++i) visit(first + i, in_x + i * step);
    for (std::size_t axis = axes; axis-- > 1;) {
      const std::size_t outer = axis - 1;
      const Index extent = shape.extents()[outer];
      in_x += steps[outer];
      if (++index[outer] < extent) break;
      in_x -= extent * steps[outer];
      index[outer] = 0;
    }
  }
}

/// x repeated along the axes where its extent is 1, to this shape. dx of an element is the sum over its
/// repetitions.
Tensor repeated(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const Operation op("broadcast");
  const Tensor y = Tensor::empty(shape);
  for_each_repeated(x.shape(), shape,
                    [from = x.data(), to = y.data()](Index i, Index in_x) { to[i] = from[in_x]; });
  return op.record(y, {x}, [shape, of_x = x.shape()](BackwardContext& context) {
    GradSlot dx = context.input_grad(0);
    dx.start_with_zeros(of_x.size());
    for_each_repeated(of_x, shape,
                      [=, dy = context.output_grad()](Index i, Index in_x) { dx.data[in_x] += dy[i]; });
  });
}

/// Two operands of the same shape.
struct Pair {
  Pair(const Operation& op, const Tensor& first, const Tensor& second)
      : shape(broadcast(op.name(), first.shape(), second.shape())),
        a(repeated(first, shape)),
        b(repeated(second, shape)) {}
  Shape shape;
  Tensor a, b;
};

/// y = a + sign b, da = dy, db = sign dy: the operands' values are not needed again.
Tensor add_signed(const char* name, const Tensor& first, const Tensor& second, Real sign) {
  const Operation op(name);
  const auto [shape, a, b] = Pair(op, first, second);
  const Tensor y = Tensor::empty(shape);
  for_each_element(y.size(), [=, to = y.data(), a_data = a.data(), b_data = b.data()](Index i) {
    to[i] = a_data[i] + sign * b_data[i];
  });
  return op.record(y, {a, b}, [sign, size = y.size()](BackwardContext& context) {
    if (const GradSlot da = context.input_grad(0)) kernels::accumulate(da, context.output_grad(), size);
    if (const GradSlot db = context.input_grad(1))
      kernels::accumulate_scaled(db, context.output_grad(), sign, size);
  });
}

/// y = value(a, b), da = dy a_slope(a, b), db = dy b_slope(a, b)
template <class Value, class ASlope, class BSlope>
Tensor binary(const char* name, const Tensor& first, const Tensor& second, const Value& value,
              const ASlope& a_slope, const BSlope& b_slope) {
  const Operation op(name);
  const Pair pair(op, first, second);
  const Tensor y = Tensor::empty(pair.shape);
  for_each_element(y.size(), [&, to = y.data(), a = pair.a.data(), b = pair.b.data()](Index i) {
    to[i] = value(a[i], b[i]);
  });
  return op.record(y, {pair.a, pair.b}, [=](BackwardContext& context) {
    const auto put = [&](const GradSlot& slot, const auto& slope) {
      if (!slot) return;
      const Real *const dy = context.output_grad(), *const a = pair.a.data(), *const b = pair.b.data();
      for_each_element(pair.a.size(), [&](Index i) { slot.put(i, dy[i] * slope(a[i], b[i])); });
    };
    put(context.input_grad(0), a_slope);
    put(context.input_grad(1), b_slope);
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

}}  // namespace regard::REGARD_PRECISION
