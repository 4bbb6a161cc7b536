#include "autograd/kernels/rotary.h"

#include <algorithm>
#include <vector>

#include "autograd/graph.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops/attention.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

void check_rotary(const Operation& op, const Tensor& x, Index turned, const Tensor& table,
                  std::span<const std::int32_t> positions) {
  if (x.rank() != 2 || turned < 0 || turned > x.size(1))
    op.fail("x of shape {} does not have {} columns that turn", to_string(x.shape()), turned);
  if (table.rank() != 2 || table.size(1) < 2 || table.size(1) % 2 != 0 || turned % table.size(1) != 0)
    op.fail(
        "a table of shape {} does not fit {} columns: expected [positions, d_k], where d_k is even and "
        "divides them",
        to_string(table.shape()), turned);
  if (to_index(positions.size()) != x.size(0))
    op.fail("{} positions do not fit {} rows", positions.size(), x.size(0));
  for (const std::int32_t position : positions)
    if (position < 0 || position >= table.size(0))
      op.fail("the table has positions 0 to {}, but not {}", table.size(0) - 1, position);
}

}  // namespace

Tensor rotary(const Tensor& x, Index turned, const Tensor& table, std::span<const std::int32_t> positions) {
  const Operation op("rotary");
  check_rotary(op, x, turned, table, positions);
  const Index rows = x.size(0);
  const kernels::RotaryRows shape{x.size(1), turned, table.size(1)};
  const auto turn = [=, at = std::vector<std::int32_t>(positions.begin(), positions.end())](
                        GradSlot to, const Real* from, kernels::Turn direction) {
    parallel_for(rows, block_size(rows, shape.width), [&](Index begin, Index end) {
      kernels::rotary_rows(to, from, shape, begin, end, table.data(), at.data(), direction);
    });
  };
  const Tensor y = Tensor::empty(x.shape());
  turn(GradSlot{y.data()}, x.data(), kernels::Turn::forward);

  // The rotation is orthogonal: dx is dy, turned back.
  return op.record(y, {x}, [turn](BackwardContext& context) {
    turn(context.input_grad(0), context.output_grad(), kernels::Turn::back);
  });
}

}}  // namespace regard::REGARD_PRECISION
