#include "autograd/kernels/layer_norm.h"

#include "autograd/graph.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// Both layer norms. With an empty sublayer there is nothing to add, and x itself is normalised.
Tensor normalise(const char* name, const Tensor& x, const Tensor& sublayer, DropoutMask dropout,
                 const Tensor& weight, const Tensor& given_bias, Real epsilon) {
  const Operation op(name);
  const Tensor bias = given_bias ? given_bias : Tensor::zeros(weight.shape());
  if (x.rank() == 0) op.fail("a scalar has no axis to normalise over");
  const Index rows = x.shape().size_before(-1), columns = x.size(-1);
  if (weight.shape() != Shape{columns} || bias.shape() != Shape{columns})
    op.fail("weight of shape {} and bias of shape {} do not fit x of shape {}: expected [{}]",
            to_string(weight.shape()), to_string(bias.shape()), to_string(x.shape()), columns);
  if (sublayer && sublayer.shape() != x.shape())
    op.fail("x of shape {} and sublayer of shape {} differ", to_string(x.shape()),
            to_string(sublayer.shape()));
  check_dropout(op, dropout);

  const Tensor y = Tensor::empty(x.shape()), statistics = Tensor::empty({2, rows});
  const Tensor sum = sublayer ? Tensor::empty(x.shape()) : x.detach();
  kernels::layer_norm_forward(y.data(), sum.data(), statistics.data(), x.data(),
                              sublayer ? sublayer.data() : nullptr, weight.data(), bias.data(), rows, columns,
                              epsilon, dropout);
  // With xhat = (sum - mean) / deviation and g = dy weight:
  //   dsum = (g - mean(g) - xhat mean(g xhat)) / deviation,  dx = dsum,  dsublayer = dropout(dsum)
  //   dweight = sum over rows of dy xhat,  dbias = sum over rows of dy
  return op.record(y, {x, sublayer, weight, bias}, [=](BackwardContext& context) {
    const Real* const dy = context.output_grad();
    // x and sublayer may be the same tensor, and one kernel writes both gradients. It writes each element of
    // dx first, which may overwrite, and then the same element of dsublayer, which adds. Likewise dweight
    // and dbias.
    const GradSlot dx = context.input_grad(0), dsublayer = context.input_grad(1);
    if (dx || dsublayer)
      kernels::layer_norm_backward(dx, dsublayer, dy, sum.data(), statistics.data(), weight.data(), rows,
                                   columns, dropout);
    const GradSlot dweight = context.input_grad(2), dbias = context.input_grad(3);
    if (dweight || dbias)
      kernels::layer_norm_parameters_backward(dweight, dbias, dy, sum.data(), statistics.data(), rows,
                                              columns);
  });
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, Real epsilon) {
  return normalise("layer_norm", x, {}, {}, weight, bias, epsilon);
}

Tensor residual_layer_norm(const Tensor& x, const Tensor& sublayer, DropoutMask dropout, const Tensor& weight,
                           const Tensor& bias, Real epsilon) {
  return normalise("residual_layer_norm", x, sublayer, dropout, weight, bias, epsilon);
}

}}  // namespace regard::REGARD_PRECISION
