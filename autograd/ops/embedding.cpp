#include "autograd/ops/embedding.h"

#include <algorithm>
#include <vector>

#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/kernels/elementwise.h"

namespace regard { inline namespace REGARD_PRECISION {

Tensor embedding(const Tensor& weight, std::span<const std::int32_t> ids, Real scale) {
  const Span span("embedding");
  if (weight.rank() != 2)
    fail("embedding: weight of shape {} must be [vocabulary, d_model]", to_string(weight.shape()));
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] >= weight.size(0))
      fail("embedding: id {} at position {} lies outside the vocabulary of {} entries", ids[i], i,
           weight.size(0));
  const auto rows = to_index(ids.size()), columns = weight.size(1);
  const Tensor y = Tensor::empty({rows, columns});
  count_moved(2 * y.size());  // of the weight, only the rows that occur
  kernels::gather_rows_forward(y.data(), weight.data(), ids.data(), rows, columns, scale);

  // Each row's gradient is added to the row of the weight it came from.
  return record("embedding", y, {weight},
                [rows, columns, scale, size = weight.size(),
                 saved_ids = std::vector<std::int32_t>(ids.begin(), ids.end())](Output& out) {
                  const GradSlot dweight = out.grad_slot(0);
                  count_moved(dweight.add ? 3 * rows * columns : rows * columns + size);
                  if (!dweight.add) std::fill_n(dweight.data, size, Real{0});
                  kernels::gather_rows_backward(dweight.data, out.grad(), saved_ids.data(), rows, columns,
                                                scale);
                });
}

}}  // namespace regard::REGARD_PRECISION
