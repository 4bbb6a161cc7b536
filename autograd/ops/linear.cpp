#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/products.h"
#include "autograd/operation.h"
#include "autograd/ops.h"
#include "autograd/parallel.h"

namespace regard { inline namespace REGARD_PRECISION {

using kernels::ConstMatrix;
using kernels::Matrix;

namespace {

struct Extents {
  Index rows, in, out;
};

Extents check(const Operation& op, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (x.rank() != 2 || weight.rank() != 2 || x.size(1) != weight.size(1))
    op.fail("x of shape {} and weight of shape {} do not fit: expected [rows, in] and [out, in]",
            to_string(x.shape()), to_string(weight.shape()));
  if (bias && bias.shape() != Shape{weight.size(0)})
    op.fail("bias of shape {} does not fit weight of shape {}: expected [{}]", to_string(bias.shape()),
            to_string(weight.shape()), weight.size(0));
  return {x.size(0), x.size(1), weight.size(0)};
}

/// dx = dy W, dW = dy^T x, db = sum over rows of dy
void linear_backward(BackwardContext& context, const Real* dy, const Tensor& x, const Tensor& weight,
                     const Extents& extents) {
  const auto [rows, in, columns] = extents;
  if (const GradSlot dx = context.input_grad(0))
    kernels::product(blas::Transposed::none, rows, in, columns, ConstMatrix{dy, columns},
                     ConstMatrix{weight.data(), in}, Matrix{dx.data, in}, kernels::store(dx));
  if (const GradSlot dweight = context.input_grad(1))
    kernels::product(blas::Transposed::a, columns, in, rows, ConstMatrix{dy, columns},
                     ConstMatrix{x.data(), in}, Matrix{dweight.data, in}, kernels::store(dweight));
  if (const GradSlot dbias = context.input_grad(2)) kernels::column_sums(dbias, dy, rows, columns);
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Operation op("linear");
  const Extents extents = check(op, x, weight, bias);
  const auto [rows, in, columns] = extents;
  const Tensor y = Tensor::empty({rows, columns});
  kernels::BlockDone add_bias;
  if (bias)
    add_bias = [values = y.data(), stride = columns, b = bias.data()](Index row, Index block_rows,
                                                                      Index column, Index block_columns) {
      kernels::add_bias(values + row * stride + column, stride, b + column, block_rows, block_columns);
    };
  kernels::product(blas::Transposed::b, rows, columns, in, ConstMatrix{x.data(), in},
                   ConstMatrix{weight.data(), in}, Matrix{y.data(), columns}, blas::Store::overwrite,
                   add_bias);
  return op.record(y, {x, weight, bias}, [x, weight, extents](BackwardContext& context) {
    linear_backward(context, context.output_grad(), x, weight, extents);
  });
}

Tensor linear_relu(const Tensor& x, const Tensor& weight, const Tensor& bias, DropoutMask dropout) {
  const Operation op("linear_relu");
  if (!bias) op.fail("needs a bias of shape [{}]", weight.size(0));
  const Extents extents = check(op, x, weight, bias);
  check_dropout(op, dropout);
  const auto [rows, in, columns] = extents;
  const Tensor y = Tensor::empty({rows, columns});
  const auto finish = [=, values = y.data(), b = bias.data(), width = columns](Index row, Index block_rows) {
    kernels::add_bias_relu(values + row * width, width, b, row, block_rows, width, dropout);
  };
  const bool whole_rows = kernels::cut_by_rows(rows, columns);  // the dropout needs whole rows
  kernels::product(blas::Transposed::b, rows, columns, in, ConstMatrix{x.data(), in},
                   ConstMatrix{weight.data(), in}, Matrix{y.data(), columns}, blas::Store::overwrite,
                   [&](Index row, Index block_rows, Index, Index) {
                     if (whole_rows) finish(row, block_rows);
                   });
  if (!whole_rows) finish(0, rows);

  // An element that the ReLU or the dropout set to 0 passes no gradient. The others are scaled as in the
  // forward.
  return op.record(
      y, {x, weight, bias},
      [x, weight, extents, y = y.detach(), keep = 1 / (1 - dropout.probability)](BackwardContext& context) {
        Real* const dy = context.take_output_grad();
        kernels::relu_dropout_backward(dy, y.data(), keep, y.size());
        linear_backward(context, dy, x, weight, extents);
      });
}

}}  // namespace regard::REGARD_PRECISION
