#include "autograd/graph.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION {

void check_dropout(const Operation& op, DropoutMask dropout) {
  if (!(dropout.probability >= 0 && dropout.probability < 1))
    op.fail("dropout probability {} must be at least 0 and below 1", dropout.probability);
}

Tensor dropout(const Tensor& x, DropoutMask dropout) {
  const Operation op("dropout");
  check_dropout(op, dropout);
  if (dropout.probability == 0 || x.size() == 0) return x;
  const Index columns = x.rank() == 0 ? 1 : x.size(-1), rows = x.size() / columns;
  const Tensor y = Tensor::empty(x.shape());
  kernels::dropout_forward(GradSlot{y.data(), false}, x.data(), rows, columns, dropout);
  return op.record(y, {x}, [=](BackwardContext& context) {
    kernels::dropout_forward(context.input_grad(0), context.output_grad(), rows, columns, dropout);
  });
}

Tensor residual_dropout(const Tensor& x, const Tensor& sublayer, DropoutMask dropout) {
  const Operation op("residual_dropout");
  if (x.shape() != sublayer.shape() || x.rank() == 0)
    op.fail("x of shape {} and sublayer of shape {} must be equal, with at least one axis",
            to_string(x.shape()), to_string(sublayer.shape()));
  check_dropout(op, dropout);
  const Index columns = x.size(-1), rows = x.shape().size_before(-1);
  const auto add_dropped = [=](GradSlot to, const Real* from) {
    if (dropout.probability == 0)
      kernels::accumulate(to, from, rows * columns);
    else
      kernels::dropout_forward(to, from, rows, columns, dropout);
  };
  const Tensor y = x.clone();
  add_dropped(GradSlot{y.data(), true}, sublayer.data());
  return op.record(y, {x, sublayer}, [=](BackwardContext& context) {
    if (const GradSlot dx = context.input_grad(0))
      kernels::accumulate(dx, context.output_grad(), rows * columns);
    if (const GradSlot dsublayer = context.input_grad(1)) add_dropped(dsublayer, context.output_grad());
  });
}

}}  // namespace regard::REGARD_PRECISION
