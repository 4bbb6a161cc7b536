#include "autograd/kernels/softmax.h"

#include <algorithm>
#include <cmath>

#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/ops/softmax.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {
/// Both operations see rows of the last axis, and both backwards need only the result.
template <class Forward, class Backward>
Tensor over_rows(const char* op, const Tensor& x, const Forward& forward, const Backward& backward) {
  const Span span(op);
  if (x.rank() == 0) fail("{}: a scalar has no axis to normalise over", op);
  const Index rows = x.shape().size_before(-1), columns = x.size(-1);
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

LargestLogits largest_logits(const Tensor& x, Index count) {
  const Span span("largest_logits");
  if (x.rank() != 2 || x.size(1) == 0 || count < 1)
    fail("largest_logits: the {} largest of each row of shape {}; give [rows, columns] and at least 1", count,
         to_string(x.shape()));
  const Index rows = x.size(0), columns = x.size(1);
  count = std::min(count, columns);
  const auto size = to_size(rows * count);
  LargestLogits largest{count, std::vector<Real>(size), std::vector<std::int32_t>(size),
                        std::vector<Real>(to_size(rows))};
  kernels::largest_of_rows(
      kernels::Largest{largest.logits.data(), largest.positions.data(), largest.log_sum_exp.data(), count},
      x.data(), rows, columns);
  count_moved(x.size());
  for (const Real sum : largest.log_sum_exp)
    if (!std::isfinite(sum))
      throw NotFinite("largest_logits: a row of logits holds a number that is not finite");
  return largest;
}

}}  // namespace regard::REGARD_PRECISION
