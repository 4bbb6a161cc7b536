#include <algorithm>
#include <vector>

#include "autograd/graph.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "autograd/ops/linear_products.h"

namespace regard { inline namespace REGARD_PRECISION {

Tensor embedding(const Tensor& weight, std::span<const std::int32_t> ids, Real scale) {
  const Operation op("embedding");
  if (weight.rank() != 2)
    op.fail("weight of shape {} must be [vocabulary, d_model]", to_string(weight.shape()));
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] >= weight.size(0))
      op.fail("id {} at position {} lies outside the vocabulary of {} entries", ids[i], i, weight.size(0));
  const auto rows = to_index(ids.size()), columns = weight.size(1);
  const Tensor y = Tensor::empty({rows, columns});
  if (const auto& form = MatrixForm::of(weight)) {
    form->look_up(y.data(), ids, scale);
    return y;
  }
  kernels::gather_rows_forward(y.data(), weight.data(), ids.data(), rows, columns, scale);

  // The gradient of each row is added to the row of the weight that it came from.
  return op.record(y, {weight},
                   [rows, columns, scale, size = weight.size(),
                    saved_ids = std::vector<std::int32_t>(ids.begin(), ids.end())](BackwardContext& context) {
                     GradSlot dweight = context.input_grad(0);
                     dweight.start_with_zeros(size);
                     kernels::gather_rows_backward(dweight.data, context.output_grad(), saved_ids.data(),
                                                   rows, columns, scale);
                   });
}

}}  // namespace regard::REGARD_PRECISION
