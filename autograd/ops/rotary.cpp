#include "autograd/kernels/rotary.h"

#include <algorithm>
#include <vector>

#include "autograd/operation.h"
#include "autograd/ops/attention.h"
#include "autograd/parallel.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

void check_rotary(const Operation& op, const ColumnSlice& x, const Tensor& table,
                  std::span<const std::int32_t> positions) {
  if (table.rank() != 2 || table.size(1) < 2 || table.size(1) % 2 != 0 || x.width % table.size(1) != 0)
    op.fail(
        "a table of shape {} does not fit {} columns: expected [positions, d_k], where d_k is even and "
        "divides them",
        to_string(table.shape()), x.width);
  if (to_index(positions.size()) != x.matrix.size(0))
    op.fail("{} positions do not fit {} rows", positions.size(), x.matrix.size(0));
  for (const std::int32_t position : positions)
    if (position < 0 || position >= table.size(0))
      op.fail("the table has positions 0 to {}, but not {}", table.size(0) - 1, position);
}

constexpr Index numbers_at_a_time = 32768;  // about 10 microseconds

}  // namespace

Tensor rotary(const ColumnSlice& x, const Tensor& table, std::span<const std::int32_t> positions) {
  const Operation op("rotary");
  check_rotary(op, x, table, positions);
  const Index rows = x.matrix.size(0), width = x.width, d_k = table.size(1);
  const auto turn = [=, at = std::vector<std::int32_t>(positions.begin(), positions.end())](
                        GradSlot to, Index stride, kernels::ConstMatrix from, kernels::Turn direction) {
    parallel_for(rows, numbers_at_a_time / (width + 1) + 1, [&](Index begin, Index end) {
      kernels::rotary_rows(to, stride, from, begin, end, width / d_k, d_k, table.data(), at.data(),
                           direction);
    });
  };
  const Tensor y = Tensor::empty({rows, width});
  const kernels::ConstMatrix from{x.matrix.data() + x.first, x.matrix.size(1)};
  turn(GradSlot{y.data()}, width, from, kernels::Turn::forward);

  // The rotation is orthogonal: dx is dy, turned back.
  return op.record(y, {x.matrix}, [=, first = x.first, stride = from.stride](BackwardContext& context) {
    GradSlot dx = context.input_grad(0);
    if (width != stride) dx.start_with_zeros(rows * stride);
    turn({dx.data + first, dx.add}, stride, {context.output_grad(), width}, kernels::Turn::back);
  });
}

}}  // namespace regard::REGARD_PRECISION
