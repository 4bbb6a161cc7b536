#include <algorithm>

#include "autograd/graph.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops.h"
#include "autograd/ops/linear_products.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// A tensor seen from one axis: `outer` blocks of `extent` rows of `inner` elements.
struct AxisView {
  Index outer, extent, inner;
};

AxisView along(const Shape& shape, Index axis) {
  return {shape.size_before(axis), shape[axis], shape.size_from(axis + 1)};
}

Shape with_extent(const Shape& shape, Index axis, Index extent) {
  std::vector<Index> extents = shape.extents();
  extents[to_size(axis)] = extent;
  return Shape(std::move(extents));
}

/// Calls body(block) for `count` blocks of `numbers` elements, on all threads.
template <class Body>
void for_each_block(Index count, Index numbers, const Body& body) {
  parallel_for(count, block_size(count, numbers), [&](Index begin, Index end) {
    for (Index block = begin; block < end; ++block) body(block);
  });
}

void add_to(Real* to, const Real* from, Index size) {
  for (Index i = 0; i < size; ++i) to[i] += from[i];
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape) {
  const Operation op("reshape");
  if (shape.size() != x.size())
    op.fail("shape {} holds {} elements, shape {} holds {}", to_string(x.shape()), x.size(), to_string(shape),
            shape.size());
  return op.record(x.view(shape), {x}, [size = x.size()](BackwardContext& context) {
    kernels::accumulate(context.input_grad(0), context.output_grad(), size);
  });
}

Tensor transpose(const Tensor& x, Index axis_a, Index axis_b) {
  const Operation op("transpose");
  const Index low = std::min(x.shape().wrap(axis_a), x.shape().wrap(axis_b));
  const Index high = std::max(x.shape().wrap(axis_a), x.shape().wrap(axis_b));
  std::vector<Index> extents = x.shape().extents();
  std::swap(extents[to_size(low)], extents[to_size(high)]);
  const Tensor y = Tensor::empty(Shape(std::move(extents)));
  // x is [outer, first, between, second, inner], y is [outer, second, between, first, inner].
  const Index first = x.size(low), second = x.size(high);
  const Index outer = x.shape().size_before(low), inner = x.shape().size_from(high + 1);
  Index between = 1;
  for (Index axis = low + 1; axis < high; ++axis) between *= x.size(axis);
  const Index last = low == high ? 1 : second;
  const auto for_each = [=](const auto& visit) {  // (index in x, index in y) of runs of `inner` elements
    for (Index o = 0; o < outer; ++o)
      for (Index i = 0; i < first; ++i)
        for (Index b = 0; b < between; ++b)
          for (Index j = 0; j < last; ++j)
            visit((((o * first + i) * between + b) * last + j) * inner,
                  (((o * last + j) * between + b) * first + i) * inner);
  };
  for_each([inner, from = x.data(), to = y.data()](Index in_x, Index in_y) {
    std::copy_n(from + in_x, inner, to + in_y);
  });
  return op.record(y, {x}, [=, size = x.size()](BackwardContext& context) {
    GradSlot dx = context.input_grad(0);
    dx.start_with_zeros(size);
    for_each([&](Index in_x, Index in_y) { add_to(dx.data + in_x, context.output_grad() + in_y, inner); });
  });
}

Tensor slice(const Tensor& x, Index axis, Index begin, Index end) {
  const Operation op("slice");
  axis = x.shape().wrap(axis);
  if (begin < 0 || end < begin || end > x.size(axis))
    op.fail("{} to {} does not lie within axis {} of shape {}", begin, end, axis, to_string(x.shape()));
  if (axis == 0 && MatrixForm::of(x)) return MatrixForm::tensor(MatrixForm::of(x)->rows(begin, end));
  const AxisView view = along(x.shape(), axis);
  const Shape shape = with_extent(x.shape(), axis, end - begin);
  const Index run = (end - begin) * view.inner, step = view.extent * view.inner;
  Tensor y;
  if (axis == 0) {
    y = x.view(shape, begin * view.inner);
  } else {
    y = Tensor::empty(shape);
    for_each_block(view.outer, run, [&](Index o) {
      std::copy_n(x.data() + o * step + begin * view.inner, run, y.data() + o * run);
    });
  }
  return op.record(y, {x}, [=, size = x.size()](BackwardContext& context) {
    GradSlot dx = context.input_grad(0);
    dx.start_with_zeros(size);
    for_each_block(view.outer, run, [&, dy = context.output_grad()](Index o) {
      add_to(dx.data + o * step + begin * view.inner, dy + o * run, run);
    });
  });
}

Tensor Tensor::operator[](Index i) const {
  if (rank() == 0) fail("x[{}]: x is a scalar, of shape []; give x.item() for its value", i);
  const Index first = i < 0 ? i + size(0) : i;
  if (first < 0 || first >= size(0)) fail("x[{}] lies outside x of shape {}", i, to_string(shape()));
  const std::vector<Index>& extents = shape().extents();
  return reshape(slice(*this, 0, first, first + 1), Shape({extents.begin() + 1, extents.end()}));
}

Tensor gather(const Tensor& x, Index axis, std::span<const std::int32_t> indices) {
  const Operation op("gather");
  axis = x.shape().wrap(axis);
  const AxisView view = along(x.shape(), axis);
  for (const std::int32_t index : indices)
    if (index < 0 || index >= view.extent)
      op.fail("index {} lies outside axis {} of shape {}", index, axis, to_string(x.shape()));
  const auto count = to_index(indices.size());
  if (axis == 0 && MatrixForm::of(x)) return MatrixForm::tensor(MatrixForm::of(x)->rows(indices));
  const Tensor y = Tensor::empty(with_extent(x.shape(), axis, count));
  std::vector<std::int32_t> chosen(indices.begin(), indices.end());
  for (Index o = 0; o < view.outer; ++o)
    kernels::gather_rows_forward(y.data() + o * count * view.inner, x.data() + o * view.extent * view.inner,
                                 chosen.data(), count, view.inner, Real{1});
  return op.record(y, {x},
                   [view, count, chosen = std::move(chosen), size = x.size()](BackwardContext& context) {
                     GradSlot dx = context.input_grad(0);
                     dx.start_with_zeros(size);
                     for (Index o = 0; o < view.outer; ++o)
                       kernels::gather_rows_backward(dx.data + o * view.extent * view.inner,
                                                     context.output_grad() + o * count * view.inner,
                                                     chosen.data(), count, view.inner, Real{1});
                   });
}

Tensor concat(const std::vector<Tensor>& tensors, Index axis) {
  const Operation op("concat");
  if (tensors.empty()) op.fail("give at least one tensor");
  axis = tensors.front().shape().wrap(axis);
  Index extent = 0;
  for (const Tensor& x : tensors) {
    if (x.rank() != tensors.front().rank() ||
        with_extent(x.shape(), axis, 0) != with_extent(tensors.front().shape(), axis, 0))
      op.fail("shapes {} and {} differ outside axis {}", to_string(tensors.front().shape()),
              to_string(x.shape()), axis);
    extent += x.size(axis);
  }
  const Tensor y = Tensor::empty(with_extent(tensors.front().shape(), axis, extent));
  const Index outer = y.shape().size_before(axis), row = y.shape().size_from(axis);
  Index first = 0;
  std::vector<Index> runs;
  for (const Tensor& x : tensors) {
    const Index run = x.shape().size_from(axis);
    for_each_block(outer, run,
                   [&](Index o) { std::copy_n(x.data() + o * run, run, y.data() + o * row + first); });
    runs.push_back(run);
    first += run;
  }
  return op.record(y, tensors, [=](BackwardContext& context) {
    Index begin = 0;
    for (std::size_t i = 0; i < runs.size(); begin += runs[i++]) {
      const GradSlot dx = context.input_grad(i);
      if (!dx) continue;
      const Index run = runs[i];
      for_each_block(outer, run, [=, dy = context.output_grad() + begin](Index o) {
        for (Index j = 0; j < run; ++j) dx.put(o * run + j, dy[o * row + j]);
      });
    }
  });
}

}}  // namespace regard::REGARD_PRECISION
