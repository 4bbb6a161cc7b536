#include "nn/recurrent/recurrence.h"

#include <memory>
#include <span>
#include <vector>

#include "autograd/graph.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/products.h"
#include "autograd/machine/parallel.h"
#include "nn/recurrent/recurrence_memory.h"

namespace regard { inline namespace REGARD_PRECISION {

using kernels::CellGradients;
using kernels::CellStep;
using kernels::ConstMatrix;
using kernels::in_panels;
using kernels::Matrix;

namespace {

constexpr CellKernels gru_kernels{.gates = gru_gates,
                                  .saved = kernels::gru_saved,
                                  .has_cell = false,
                                  .hidden_differs = true,
                                  .forward = kernels::gru_forward,
                                  .backward = kernels::gru_backward};
constexpr CellKernels lstm_kernels{.gates = lstm_gates,
                                   .saved = kernels::lstm_saved,
                                   .has_cell = true,
                                   .hidden_differs = false,
                                   .forward = kernels::lstm_forward,
                                   .backward = kernels::lstm_backward};

void check(const Operation& op, const Recurrence& r) {
  if (r.weight_hh.rank() != 2 || r.weight_hh.size(0) != r.gate_width())
    op.fail("weight_hh of shape {} must be [{} d, d]", to_string(r.weight_hh.shape()), r.cell.gates);
  const Shape gates{r.steps.rows(), r.gate_width()}, bias{r.gate_width()};
  if (r.gates.shape() != gates || r.bias_hh.shape() != bias)
    op.fail(
        "gates of shape {} and bias_hh of shape {} do not fit weight_hh of shape {} and {} rows: expected {} "
        "and {}",
        to_string(r.gates.shape()), to_string(r.bias_hh.shape()), to_string(r.weight_hh.shape()),
        r.steps.rows(), to_string(gates), to_string(bias));
  const Shape state{r.steps.sentences(), r.width()};
  for (const Tensor* initial : {&r.initial_state, &r.initial_cell})
    if (*initial && initial->shape() != state)
      op.fail("an initial state of shape {} does not fit: expected {}", to_string(initial->shape()),
              to_string(state));
}

ConstMatrix constant(Matrix matrix) { return {matrix.data, matrix.stride}; }

enum class Packed { as_it_is, transposed };

/// A weight in panels (autograd/kernels/panels.h).
Tensor pack(const Tensor& weight, Packed how) {
  const Index rows = weight.size(0), columns = weight.size(1);
  const bool transposed = how == Packed::transposed;
  const Index to = transposed ? rows : columns, depth = transposed ? columns : rows;
  const Index row_step = transposed ? 1 : columns, column_step = transposed ? columns : 1;
  const Tensor panels = Tensor::empty({in_panels(to), depth});
  parallel_for(in_panels(to), 4 * kernels::panel_columns, [&](Index begin, Index end) {
    kernels::pack_panels(panels.data() + begin * depth, depth,
                         kernels::StridedMatrix{weight.data() + begin * column_step, row_step, column_step},
                         Index{0}, depth, std::min(end, to) - begin);
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

void run_blocks(const Recurrence& r, const LstmResult& result) {
  const Index d = r.width();
  const Tensor panels = pack(r.weight_hh, Packed::transposed);
  const Tensor unused = Tensor::empty({threads(), r.cell.saved * d});
  count_products(r);
  for_each_block(r, [&](const TimeSteps::Block& block, const Workspace& space, int worker) {
    gather_states(space.state, r.initial_state, block.sentences, d);
    gather_states(space.cell, r.initial_cell, block.sentences, d);
    for (const TimeSteps::Step& step : block.steps) {
      kernels::panel_product(step.running, in_panels(r.gate_width()), d, constant(space.state),
                             kernels::Panels{panels.data(), d}, space.hidden, blas::Store::overwrite);
      r.cell.forward(make_step(r, r.steps.rows_of(step), space, result.output.data(),
                               unused.data() + worker * unused.size(1)));
    }
    if (r.cell.has_cell) put_states({result.cells.data()}, space.cell, block.sentences, d);
  });
}

/// All sentences take one step, as in decoding. No second product reads weight_hh, so nobody packs it.
void run_one_step(const Recurrence& r, const LstmResult& result) {
  const Index d = r.width();
  const OneStep step(r);
  const Tensor state = r.initial_state ? r.initial_state : Tensor::zeros({r.steps.rows(), d});
  count_products(r);
  kernels::product(blas::Transposed::b, r.steps.rows(), r.gate_width(), d, ConstMatrix{state.data(), d},
                   ConstMatrix{r.weight_hh.data(), d}, step.space.hidden, blas::Store::overwrite);
  const Tensor unused = Tensor::empty({threads(), r.cell.saved * d});
  step.for_each_block([&](std::span<const Index> sentences, const Workspace& space, int worker) {
    gather_states(space.state, state, sentences, d);
    gather_states(space.cell, r.initial_cell, sentences, d);
    r.cell.forward(
        make_step(r, sentences, space, result.output.data(), unused.data() + worker * unused.size(1)));
    if (r.cell.has_cell) put_states({result.cells.data()}, space.cell, sentences, d);
  });
}

LstmResult run_forward(const Recurrence& r) {
  const LstmResult result{Tensor::empty({r.steps.rows(), r.width()}),
                          r.cell.has_cell ? Tensor::empty({r.steps.sentences(), r.width()}) : Tensor{}};
  if (r.takes_one_step())
    run_one_step(r, result);
  else
    run_blocks(r, result);
  return result;
}

/// The backward of run_one_step.
void run_one_step_backward(const Recurrence& r, const Tensor& cells, const CellGradients& gradients,
                           const GradSlot& dstate, const GradSlot& dcell) {
  const Index d = r.width();
  const OneStep step(r);
  step.for_each_block([&](std::span<const Index> sentences, const Workspace& space, int) {
    gather_states(space.state, {}, sentences, d);
    gather_states(space.cell, cells, sentences, d);
    r.cell.backward(make_step(r, sentences, space, nullptr, nullptr), gradients);
  });
  if (dstate) {
    count_products(r);
    kernels::product(blas::Transposed::none, r.steps.rows(), d, r.gate_width(), constant(step.space.hidden),
                     ConstMatrix{r.weight_hh.data(), d}, step.space.state, blas::Store::add);
  }
  put_states(dstate, step.space.state, step.sentences, d);
  put_states(dcell, step.space.cell, step.sentences, d);
}

/// The gradients of the gates and of the initial states, by running through the steps from the last to the
/// first. `cells` is the gradient of the cells after the last step; empty if nobody used them.
void run_backward(const Recurrence& r, const Tensor& cells, const CellGradients& gradients,
                  const GradSlot& dstate, const GradSlot& dcell) {
  if (r.takes_one_step()) return run_one_step_backward(r, cells, gradients, dstate, dcell);
  const Index d = r.width();
  const Tensor panels = pack(r.weight_hh, Packed::as_it_is);
  count_products(r);
  for_each_block(r, [&](const TimeSteps::Block& block, const Workspace& space, int) {
    gather_states(space.state, {}, block.sentences, d);
    gather_states(space.cell, cells, block.sentences, d);
    for (std::size_t t = block.steps.size(); t-- > 0;) {
      const std::span<const Index> rows = r.steps.rows_of(block.steps[t]);
      r.cell.backward(make_step(r, rows, space, nullptr, nullptr), gradients);
      kernels::panel_product(to_index(rows.size()), in_panels(d), r.gate_width(), constant(space.hidden),
                             kernels::Panels{panels.data(), r.gate_width()}, space.state, blas::Store::add);
    }
    put_states(dstate, space.state, block.sentences, d);
    put_states(dcell, space.cell, block.sentences, d);
  });
}

enum Input { gates_input, weight_input, bias_input, state_input, cell_input };

void recurrence_backward(BackwardContext& context, const Recurrence& r, const Tensor& cells_gradient) {
  const Shape gate_shape{r.steps.rows(), r.gate_width()};
  const GradSlot dgates = context.input_grad(gates_input);
  const bool direct = dgates && !dgates.add;  // a cell overwrites the gradient of its gates
  const Tensor separate = direct ? Tensor{} : Tensor::empty(gate_shape);
  Real* const gates = direct ? dgates.data : separate.data();
  const Tensor of_products = r.cell.hidden_differs ? Tensor::empty(gate_shape) : Tensor{};
  Real* const dhidden = r.cell.hidden_differs ? of_products.data() : gates;
  // Three slots at once, because the steps fill them together. If both initial states are one tensor, the
  // second one adds. run_backward writes each element of the first one first.
  const GradSlot dstate = context.input_grad(state_input), dcell = context.input_grad(cell_input);
  run_backward(r, cells_gradient, {context.output_grad(), gates, dhidden}, dstate, dcell);
  if (dgates && !direct) kernels::accumulate(dgates, static_cast<const Real*>(gates), gate_shape.size());

  const Index d = r.width(), saved_width = r.cell.saved * d;
  const Real* const last_state = r.saved.data() + saved_width - d;
  if (const GradSlot dweight = context.input_grad(weight_input)) {
    count_products(r);
    kernels::product(blas::Transposed::a, r.gate_width(), d, r.steps.rows(),
                     ConstMatrix{dhidden, r.gate_width()}, ConstMatrix{last_state, saved_width},
                     Matrix{dweight.data, d}, kernels::store(dweight));
  }
  if (const GradSlot dbias = context.input_grad(bias_input))
    kernels::column_sums(dbias, static_cast<const Real*>(dhidden), r.steps.rows(), r.gate_width());
}

LstmResult recurrence(const Operation& op, Recurrence r) {
  check(op, r);
  const std::vector<Tensor> inputs{r.gates, r.weight_hh, r.bias_hh, r.initial_state, r.initial_cell};
  if (needs_gradient(inputs)) r.saved = Tensor::empty({r.steps.rows(), r.cell.saved * r.width()});
  LstmResult result = run_forward(r);
  r.gates = {};  // the backward does not need them
  // The last cells are a second result, with a node of its own. Its backward runs before the recurrence's,
  // because it is younger, and leaves its gradient here.
  const auto dcells = std::make_shared<Tensor>();

  // dgates and the initial states step by step (nn/recurrent/recurrent_cells.cpp has the equations);
  // then, for all rows at once, dW_hh = dhidden^T h and db_hh = sum over rows of dhidden
  result.output = op.record(result.output, inputs, [r, dcells](BackwardContext& context) {
    recurrence_backward(context, r, *dcells);
    *dcells = {};
  });
  if (!result.cells) return result;
  const auto leave = [=, shape = result.cells.shape(),
                      size = result.output.size()](BackwardContext& context) {
    context.input_grad(0).start_with_zeros(size);
    *dcells = Tensor::from(shape, {context.output_grad(), to_size(shape.size())});
  };
  return {result.output, Operation("last_cells").record(result.cells, {result.output}, leave)};
}

}  // namespace

Tensor gru(const Tensor& gates, const Tensor& weight_hh, const Tensor& bias_hh, const Tensor& initial_state,
           const TimeSteps& steps) {
  return recurrence(Operation("gru"), {gru_kernels, gates, weight_hh, bias_hh, initial_state, {}, steps})
      .output;
}

LstmResult lstm(const Tensor& gates, const Tensor& weight_hh, const Tensor& bias_hh,
                const Tensor& initial_state, const Tensor& initial_cell, const TimeSteps& steps) {
  return recurrence(Operation("lstm"),
                    {lstm_kernels, gates, weight_hh, bias_hh, initial_state, initial_cell, steps});
}

}}  // namespace regard::REGARD_PRECISION
