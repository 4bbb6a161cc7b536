#include "autograd/ops/dropout.h"

#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/kernels/elementwise.h"

namespace regard { inline namespace REGARD_PRECISION {

void check_dropout(const char* op, Dropout dropout) {
  if (!(dropout.probability >= 0 && dropout.probability < 1))
    fail("{}: dropout probability {} must be at least 0 and below 1", op, dropout.probability);
}

Tensor dropout(const Tensor& x, Dropout dropout) {
  const Span span("dropout");
  check_dropout("dropout", dropout);
  if (dropout.probability == 0 || x.size() == 0) return x;
  const Index columns = x.rank() == 0 ? 1 : x.size(-1), rows = x.size() / columns;
  const Tensor y = Tensor::empty(x.shape());
  kernels::dropout_forward(GradSlot{y.data(), false}, x.data(), rows, columns, dropout);
  return record("dropout", y, {x}, [=](Output& out) {
    count_moved(2 * rows * columns);
    kernels::dropout_forward(out.grad_slot(0), out.grad(), rows, columns, dropout);
  });
}

Tensor residual_dropout(const Tensor& x, const Tensor& sublayer, Dropout dropout) {
  const Span span("residual_dropout");
  if (x.shape() != sublayer.shape() || x.rank() == 0)
    fail("residual_dropout: x of shape {} and sublayer of shape {} must be equal, with at least one axis",
         to_string(x.shape()), to_string(sublayer.shape()));
  check_dropout("residual_dropout", dropout);
  const Index columns = x.size(-1), rows = x.shape().size_before(-1);
  const auto add_dropped = [=](GradSlot to, const Real* from) {
    if (dropout.probability == 0)
      kernels::accumulate(to, from, rows * columns);
    else
      kernels::dropout_forward(to, from, rows, columns, dropout);
  };
  const Tensor y = x.clone();
  add_dropped(GradSlot{y.data(), true}, sublayer.data());
  return record("residual_dropout", y, {x, sublayer}, [=](Output& out) {
    if (const GradSlot dx = out.grad_slot(0)) kernels::accumulate(dx, out.grad(), rows * columns);
    count_moved(3 * rows * columns);
    if (const GradSlot dsublayer = out.grad_slot(1)) add_dropped(dsublayer, out.grad());
  });
}

}}  // namespace regard::REGARD_PRECISION
