#include "autograd/ops/recurrence_steps.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "autograd/kernels/panels.h"
#include "autograd/kernels/products.h"
#include "autograd/parallel.h"
#include "autograd/profile.h"

namespace regard { inline namespace REGARD_PRECISION {

using kernels::CellGradients;
using kernels::CellStep;
using kernels::ConstMatrix;
using kernels::in_panels;
using kernels::Matrix;

namespace {

ConstMatrix constant(Matrix matrix) { return {matrix.data, matrix.stride}; }

/// States of the given sentences, one row each; zeros if `from` is empty.
void gather_states(Matrix to, const Tensor& from, std::span<const Index> sentences, Index width) {
  for (const Index sentence : sentences) {
    if (from)
      std::copy_n(from.data() + sentence * width, width, to.data);
    else
      std::fill_n(to.data, width, Real{0});
    to.data += to.stride;
  }
}

/// The reverse of gather_states. Does nothing if `to` is empty.
void put_states(const GradSlot& to, Matrix from, std::span<const Index> sentences, Index width) {
  if (!to) return;
  for (const Index sentence : sentences) {
    for (Index j = 0; j < width; ++j) to.put(sentence * width + j, from.data[j]);
    from.data += from.stride;
  }
}

/// The memory in which one thread runs a block: for each of its sentences the state, the cell, and the
/// product with the state (in the backward their gradients).
struct Workspace {
  Matrix state, cell, hidden;
};

class Workspaces {
 public:
  explicit Workspaces(const Recurrence& r)
      : rows_(r.steps.widest_block()),
        width_(in_panels(r.width())),
        gate_width_(in_panels(r.gate_width())),
        memory_(Tensor::empty({threads(), rows_ * (2 * width_ + gate_width_)})) {}

  Workspace of(int worker) const {
    Real* const first = memory_.data() + worker * memory_.size(1);
    return {{first, width_}, {first + rows_ * width_, width_}, {first + 2 * rows_ * width_, gate_width_}};
  }

 private:
  Index rows_, width_, gate_width_;
  Tensor memory_;
};

enum class Packed { as_it_is, transposed };

/// A weight in panels (autograd/kernels/panels.h).
Tensor pack(const Tensor& weight, Packed how) {
  const Index rows = weight.size(0), columns = weight.size(1);
  const bool transposed = how == Packed::transposed;
  const Index to = transposed ? rows : columns, depth = transposed ? columns : rows;
  const Index row_step = transposed ? 1 : columns, column_step = transposed ? columns : 1;
  const Tensor panels = Tensor::empty({in_panels(to), depth});
  parallel_for(in_panels(to), 4 * kernels::panel_columns, [&](Index begin, Index end) {
    kernels::pack_panels(panels.data() + begin * depth, weight.data() + begin * column_step, row_step,
                         column_step, depth, std::min(end, to) - begin);
  });
  return panels;
}

/// One step of a cell for sentences whose tokens are in `rows`. Without r.saved, the cell writes the numbers
/// for the backward into `unused`, one row that nobody reads.
CellStep make_step(const Recurrence& r, std::span<const Index> rows, const Workspace& space, Real* output,
                   Real* unused) {
  return {.sentences = to_index(rows.size()),
          .width = r.width(),
          .rows = rows.data(),
          .gates = r.gates ? r.gates.data() : nullptr,
          .hidden = space.hidden,
          .bias = r.bias_hh.data(),
          .state = space.state,
          .cell = space.cell,
          .saved = r.saved ? r.saved.data() : unused,
          .saved_stride = r.saved ? r.cell.saved * r.width() : 0,
          .output = output};
}

void count_products(const Recurrence& r) {
  count_flops(2.0 * static_cast<double>(r.steps.rows() * r.gate_width() * r.width()));
}

void run_blocks(const Recurrence& r, const RecurrenceResult& result) {
  const Index d = r.width();
  const Workspaces spaces(r);
  const Tensor panels = pack(r.weight_hh, Packed::transposed);
  const Tensor unused = Tensor::empty({threads(), r.cell.saved * d});
  count_products(r);
  parallel_for(to_index(r.steps.blocks().size()), 1, [&](Index number, Index, int worker) {
    const TimeSteps::Block& block = r.steps.blocks()[to_size(number)];
    const Workspace space = spaces.of(worker);
    gather_states(space.state, r.initial_state, block.sentences, d);
    gather_states(space.cell, r.initial_cell, block.sentences, d);
    for (const TimeSteps::Step& step : block.steps) {
      kernels::panel_product(step.running, in_panels(r.gate_width()), d, constant(space.state), panels.data(),
                             space.hidden, blas::Store::overwrite);
      r.cell.forward(make_step(r, r.steps.rows_of(step), space, result.output.data(),
                               unused.data() + worker * unused.size(1)));
    }
    if (r.has_cell()) put_states({result.cells.data()}, space.cell, block.sentences, d);
  });
}

/// One step of a few sentences, as in decoding. The product reads weight_hh in place, because packing it
/// would cost more than the product.
void run_few(const Recurrence& r, const RecurrenceResult& result) {
  const Index d = r.width(), rows = r.steps.rows();
  std::vector<Index> order(to_size(rows));
  std::iota(order.begin(), order.end(), Index{0});
  const Tensor state = Tensor::empty({rows, d}), hidden = Tensor::empty({rows, r.gate_width()});
  const Tensor unused = Tensor::empty({r.cell.saved * d});
  const Workspace space{
      {state.data(), d}, {r.has_cell() ? result.cells.data() : nullptr, d}, {hidden.data(), r.gate_width()}};
  gather_states(space.state, r.initial_state, order, d);
  if (r.has_cell()) gather_states(space.cell, r.initial_cell, order, d);
  kernels::product(blas::Transposed::b, rows, r.gate_width(), d, constant(space.state),
                   ConstMatrix{r.weight_hh.data(), d}, space.hidden, blas::Store::overwrite);
  r.cell.forward(make_step(r, order, space, result.output.data(), unused.data()));
}

}  // namespace

RecurrenceResult run_forward(const Recurrence& r) {
  const RecurrenceResult result{Tensor::empty({r.steps.rows(), r.width()}),
                                r.has_cell() ? Tensor::empty({r.steps.sentences(), r.width()}) : Tensor{}};
  constexpr Index few = 16;
  const bool one_step = r.steps.rows() == r.steps.sentences();
  if (one_step && r.steps.rows() <= few)
    run_few(r, result);
  else
    run_blocks(r, result);
  return result;
}

void run_backward(const Recurrence& r, const RecurrenceGradients& gradients) {
  const Index d = r.width();
  const Workspaces spaces(r);
  const Tensor panels = pack(r.weight_hh, Packed::as_it_is);
  const CellGradients cell_gradients{gradients.output, gradients.gates, gradients.hidden};
  count_products(r);
  parallel_for(to_index(r.steps.blocks().size()), 1, [&](Index number, Index, int worker) {
    const TimeSteps::Block& block = r.steps.blocks()[to_size(number)];
    const Workspace space = spaces.of(worker);
    gather_states(space.state, {}, block.sentences, d);
    gather_states(space.cell, gradients.cells, block.sentences, d);
    for (std::size_t t = block.steps.size(); t-- > 0;) {
      const std::span<const Index> rows = r.steps.rows_of(block.steps[t]);
      r.cell.backward(make_step(r, rows, space, nullptr, nullptr), cell_gradients);
      kernels::panel_product(to_index(rows.size()), in_panels(d), r.gate_width(), constant(space.hidden),
                             panels.data(), space.state, blas::Store::add);
    }
    put_states(gradients.initial_state, space.state, block.sentences, d);
    put_states(gradients.initial_cell, space.cell, block.sentences, d);
  });
}

}}  // namespace regard::REGARD_PRECISION
