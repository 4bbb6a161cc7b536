#include "autograd/kernels/softmax.h"

#include <algorithm>
#include <cmath>

#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {
/// Both operations work on rows of the last axis, and both backwards need only the result.
template <class Forward, class Backward>
Tensor over_rows(const char* name, const Tensor& x, const Forward& forward, const Backward& backward) {
  const Operation op(name);
  if (x.rank() == 0) op.fail("a scalar has no axis to normalise over");
  const Index rows = x.shape().size_before(-1), columns = x.size(-1);
  const Tensor y = Tensor::empty(x.shape());
  forward(y.data(), x.data(), rows, columns);
  // softmax: dx = y (dy - sum_j dy_j y_j), log_softmax: dx = dy - e^y sum_j dy_j
  return op.record(y, {x}, [=, y = y.detach()](BackwardContext& context) {
    backward(context.input_grad(0), context.output_grad(), y.data(), rows, columns);
  });
}
}  // namespace

Tensor softmax(const Tensor& x) {
  return over_rows("softmax", x, kernels::softmax_forward, kernels::softmax_backward);
}

Tensor log_softmax(const Tensor& x) {
  return over_rows("log_softmax", x, kernels::log_softmax_forward, kernels::log_softmax_backward);
}

LargestLogits largest_logits(const Tensor& x, Index count) {
  const Operation op("largest_logits");
  if (x.rank() != 2 || x.size(1) == 0 || count < 1)
    op.fail(
        "cannot find the {} largest of each row of shape {}; give [rows, columns] and a count of at least 1",
        count, to_string(x.shape()));
  const Index rows = x.size(0), columns = x.size(1);
  count = std::min(count, columns);
  const auto size = to_size(rows * count);
  LargestLogits largest{count, std::vector<Real>(size), std::vector<std::int32_t>(size),
                        std::vector<Real>(to_size(rows))};
  kernels::largest_of_rows(
      kernels::Largest{largest.logits.data(), largest.positions.data(), largest.log_sum_exp.data(), count},
      x.data(), rows, columns);
  for (const Real sum : largest.log_sum_exp)
    if (!std::isfinite(sum))
      throw NotFinite(fmt::format("{}: a row of logits holds a number that is not finite", op.name()));
  return largest;
}

}}  // namespace regard::REGARD_PRECISION
