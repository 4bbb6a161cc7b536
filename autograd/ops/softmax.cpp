#include "autograd/kernels/softmax.h"

#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/ops/softmax.h"

namespace regard::inline REGARD_PRECISION {

namespace {
/// Both operations see rows of the last axis, and both backwards need only the result.
template <class Forward, class Backward>
Tensor over_rows(const char* op, const Tensor& x, const Forward& forward, const Backward& backward) {
  const Span span(op);
  if (x.rank() == 0) fail("{}: a scalar has no axis to normalise over", op);
  const std::int64_t rows = x.shape().size_before(-1), columns = x.size(-1);
  const Tensor y = Tensor::empty(x.shape());
  forward(y.data(), x.data(), rows, columns);
  return record(op, y, {x}, [=, y = y.detach()](Output& out) {
    backward(out.grad_slot(0), out.grad(), y.data(), rows, columns);
  });
}
}  // namespace

Tensor softmax(const Tensor& x) {
  return over_rows("softmax", x, kernels::softmax_forward, kernels::softmax_backward);
}

Tensor log_softmax(const Tensor& x) {
  return over_rows("log_softmax", x, kernels::log_softmax_forward, kernels::log_softmax_backward);
}

}  // namespace regard::inline REGARD_PRECISION
