#include "autograd/graph.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops.h"
#include "autograd/ops/linear_products.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

void check(const Operation& op, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (x.rank() != 2 || weight.rank() != 2 || x.size(1) != weight.size(1))
    op.fail("x of shape {} and weight of shape {} do not fit: expected [rows, in] and [out, in]",
            to_string(x.shape()), to_string(weight.shape()));
  if (bias && bias.shape() != Shape{weight.size(0)})
    op.fail("bias of shape {} does not fit weight of shape {}: expected [{}]", to_string(bias.shape()),
            to_string(weight.shape()), weight.size(0));
}

void check_activation(const Operation& op, const Tensor& x, const Tensor& weight, const Tensor& bias,
                      DropoutMask dropout) {
  if (!bias) op.fail("needs a bias of shape [{}]", weight.size(0));
  check(op, x, weight, bias);
  check_dropout(op, dropout);
}

/// y = x W^T: y(r, o) = sum over i of x(r, i) W(o, i). The way to the multiplications: PlainProducts
/// (linear_products.cpp) says which matrix is transposed, product (kernels/products.cpp) cuts y into tiles,
/// and product_tile (kernels/panels.cpp) multiplies one. tests/autograd/references_test.cpp has plain loops.
struct Products {
  Products(const Tensor& x, const Tensor& weight)
      : rows(x.size(0)), in(x.size(1)), out(weight.size(0)), products(linear_weight(weight)(x)) {}

  void forward(kernels::Matrix y, const kernels::BlockDone& done) const {
    count_flops(flops());
    products->forward(0, rows, y, done);
  }
  /// dx = dy W, dW = dy^T x, db = sum over rows of dy. The products write dx before dW, so x may be W.
  void backward(BackwardContext& context, const Real* dy) const {
    const GradSlot dx = context.input_grad(0), dweight = context.input_grad(1);
    count_flops((dx && dweight ? 2 : dx || dweight ? 1 : 0) * flops());
    products->backward(0, rows, dy, dx, dweight);
    if (const GradSlot dbias = context.input_grad(2)) kernels::column_sums(dbias, dy, rows, out);
  }
  double flops() const { return 2.0 * static_cast<double>(rows * in * out); }

  Index rows, in, out;
  std::shared_ptr<const LinearProducts> products;
};

/// y = dropout(f(z)) for z = x W^T + b and an activation f whose backward reads z.
Tensor linear_activation(const char* name, const Tensor& x, const Tensor& weight, const Tensor& bias,
                         DropoutMask dropout, kernels::Activation f) {
  const Operation op(name);
  check_activation(op, x, weight, bias, dropout);
  const Products products(x, weight);
  const Index rows = products.rows, columns = products.out;
  const Tensor y = Tensor::empty({rows, columns});
  const Tensor z = needs_gradient({x, weight, bias}) ? Tensor::empty({rows, columns}) : y.detach();
  const kernels::Matrix to{y.data(), columns}, sums{z.data(), columns};
  products.forward(sums, [&](const kernels::MatrixBlock& block) {
    kernels::add_bias_activation(f, to, sums, bias.data(), block, dropout);
  });
  const auto backward = [products, z, f, dropout, rows, columns](BackwardContext& context) {
    Real* const dy = context.take_output_grad();
    kernels::activation_dropout_backward(f, dy, z.data(), rows, columns, dropout);
    products.backward(context, dy);
  };
  return op.record(y, {x, weight, bias}, backward);
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Operation op("linear");
  check(op, x, weight, bias);
  const Products products(x, weight);
  const Index rows = products.rows, columns = products.out;
  const Tensor y = Tensor::empty({rows, columns});
  const kernels::Matrix to{y.data(), columns};
  kernels::BlockDone add_bias;
  if (bias) add_bias = [&](const kernels::MatrixBlock& block) { kernels::add_bias(to, bias.data(), block); };
  products.forward(to, add_bias);
  return op.record(y, {x, weight, bias}, [products](BackwardContext& context) {
    products.backward(context, context.output_grad());
  });
}

Tensor linear_relu(const Tensor& x, const Tensor& weight, const Tensor& bias, DropoutMask dropout) {
  const Operation op("linear_relu");
  check_activation(op, x, weight, bias, dropout);
  const Products products(x, weight);
  const Index rows = products.rows, columns = products.out;
  const Tensor y = Tensor::empty({rows, columns});
  const kernels::Matrix to{y.data(), columns};
  products.forward(to, [&](const kernels::MatrixBlock& block) {
    kernels::add_bias_activation(kernels::Activation::relu, to, to, bias.data(), block, dropout);
  });

  // An element that the ReLU or the dropout set to 0 passes no gradient. The others are scaled as in the
  // forward.
  const Real keep = 1 / (1 - dropout.probability);
  if (!needs_gradient({x, weight, bias})) return y;
  const auto backward = [products, saved_y = save_values(y), keep, rows, columns](BackwardContext& context) {
    Real* const dy = context.take_output_grad();
    const Index size = rows * columns, block = block_size(size, 1);
    const Tensor room = Tensor::empty({threads(), block});
    parallel_for(size, block, [&](Index begin, Index end, int worker) {
      kernels::relu_dropout_backward(dy + begin, saved_y(begin, end, room.data() + worker * block), keep,
                                     end - begin);
    });
    products.backward(context, dy);
  };
  return op.record(y, {x, weight, bias}, backward);
}

Tensor linear_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias, DropoutMask dropout) {
  return linear_activation("linear_gelu", x, weight, bias, dropout, kernels::Activation::gelu);
}

Tensor linear_silu(const Tensor& x, const Tensor& weight, const Tensor& bias, DropoutMask dropout) {
  return linear_activation("linear_silu", x, weight, bias, dropout, kernels::Activation::silu);
}

}}  // namespace regard::REGARD_PRECISION
