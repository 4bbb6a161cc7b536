#include "autograd/kernels/layer_norm.h"

#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/layer_norm.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// Both layer norms: with an empty sublayer there is nothing to add, and x itself is what gets normalised.
Tensor normalise(const char* op, const Tensor& x, const Tensor& sublayer, Dropout dropout,
                 const Tensor& weight, const Tensor& bias, Real epsilon) {
  const Span span(op);
  if (x.rank() == 0) fail("{}: a scalar has no axis to normalise over", op);
  const Index rows = x.shape().size_before(-1), columns = x.size(-1);
  if (weight.shape() != Shape{columns} || bias.shape() != Shape{columns})
    fail("{}: weight of shape {} and bias of shape {} do not fit x of shape {}: expected [{}]", op,
         to_string(weight.shape()), to_string(bias.shape()), to_string(x.shape()), columns);
  if (sublayer && sublayer.shape() != x.shape())
    fail("{}: x of shape {} and sublayer of shape {} differ", op, to_string(x.shape()),
         to_string(sublayer.shape()));
  check_dropout(op, dropout);

  const Tensor y = Tensor::empty(x.shape()), statistics = Tensor::empty({2, rows});
  const Tensor sum = sublayer ? Tensor::empty(x.shape()) : x;
  const auto parts = [rows](const Tensor& both) {
    return kernels::LayerNormStatistics{both.data(), both.data() + rows};
  };
  kernels::layer_norm_forward(y.data(), sum.data(), parts(statistics), x.data(),
                              sublayer ? sublayer.data() : nullptr, weight.data(), bias.data(), rows, columns,
                              epsilon, dropout);
  return record(op, y, {x, sublayer, weight, bias}, [=, sum = sum.detach()](Output& out) {
    // x and sublayer may be the same tensor, and the kernel writes a row of both at a time: x's part first.
    const auto backward = [&](GradSlot dx, GradSlot dsublayer) {
      if (dx || dsublayer)
        kernels::layer_norm_backward(dx, dsublayer, out.grad(), sum.data(), parts(statistics), weight.data(),
                                     rows, columns, dropout);
    };
    const GradSlot dx = out.grad_slot(0), dsublayer = out.grad_slot(1);
    count_moved((2 + (dx ? 1 : 0) + (dsublayer ? 1 : 0)) * rows * columns);
    backward(dx, dsublayer);
    const GradSlot dweight = out.grad_slot(2), dbias = out.grad_slot(3);
    if (dweight || dbias)
      kernels::layer_norm_parameters_backward(dweight, dbias, out.grad(), sum.data(), parts(statistics), rows,
                                              columns);
  });
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, Real epsilon) {
  return normalise("layer_norm", x, {}, {}, weight, bias, epsilon);
}

Tensor residual_layer_norm(const Tensor& x, const Tensor& sublayer, Dropout dropout, const Tensor& weight,
                           const Tensor& bias, Real epsilon) {
  return normalise("residual_layer_norm", x, sublayer, dropout, weight, bias, epsilon);
}

}}  // namespace regard::REGARD_PRECISION
