#include "autograd/ops/recurrence.h"

#include <memory>

#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/products.h"
#include "autograd/operation.h"
#include "autograd/ops/recurrence_steps.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

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

/// The gradient of the last cells. The last cells are a second result of the operation, with a node of its
/// own. Its backward runs before the recurrence's, because it is younger, and leaves its gradient here.
struct CellsGradient {
  Tensor value;
};

enum Input { gates_input, weight_input, bias_input, state_input, cell_input };

/// dgates and the initial states by running through the steps; then, in one product for all rows,
/// dW_hh = dhidden^T h, and db_hh = sum over rows of dhidden.
void recurrence_backward(BackwardContext& context, const Recurrence& r, const Tensor& cells_gradient) {
  const Shape gate_shape{r.steps.rows(), r.gate_width()};
  const GradSlot dgates = context.input_grad(gates_input);
  const bool direct = dgates && !dgates.add;  // a cell overwrites the gradient of its gates
  const Tensor separate = direct ? Tensor{} : Tensor::empty(gate_shape);
  Real* const gates = direct ? dgates.data : separate.data();
  const Tensor of_products = r.has_cell() ? Tensor{} : Tensor::empty(gate_shape);
  const Real* const dhidden = r.has_cell() ? gates : of_products.data();
  // If both initial states are one tensor, the second one adds. run_backward writes each element of the first
  // one first.
  const GradSlot dstate = context.input_grad(state_input), dcell = context.input_grad(cell_input);
  run_backward(r, {context.output_grad(), cells_gradient, gates, r.has_cell() ? nullptr : of_products.data(),
                   dstate, dcell});
  if (dgates && !direct) kernels::accumulate(dgates, static_cast<const Real*>(gates), gate_shape.size());

  const Index d = r.width(), saved_width = r.cell.saved * d;
  const Real* const last_state = r.saved.data() + saved_width - d;
  if (const GradSlot dweight = context.input_grad(weight_input))
    kernels::product(blas::Transposed::a, r.gate_width(), d, r.steps.rows(),
                     kernels::ConstMatrix{dhidden, r.gate_width()},
                     kernels::ConstMatrix{last_state, saved_width}, kernels::Matrix{dweight.data, d},
                     kernels::store(dweight));
  if (const GradSlot dbias = context.input_grad(bias_input))
    kernels::column_sums(dbias, dhidden, r.steps.rows(), r.gate_width());
}

RecurrenceResult recurrence(const Operation& op, Recurrence r) {
  check(op, r);
  const std::vector<Tensor> inputs{r.gates, r.weight_hh, r.bias_hh, r.initial_state, r.initial_cell};
  if (needs_gradient(inputs)) r.saved = Tensor::empty({r.steps.rows(), r.cell.saved * r.width()});
  RecurrenceResult result = run_forward(r);
  r.gates = {};  // the backward does not need them
  const auto cells_gradient = std::make_shared<CellsGradient>();
  result.output = op.record(result.output, inputs, [r, cells_gradient](BackwardContext& context) {
    recurrence_backward(context, r, cells_gradient->value);
    cells_gradient->value = {};
  });
  if (result.cells)
    result.cells =
        Operation("last_cells")
            .record(
                result.cells, {result.output},
                [shape = result.cells.shape(), size = result.output.size(),
                 cells_gradient](BackwardContext& context) {
                  context.input_grad(0).start_with_zeros(size);
                  cells_gradient->value = Tensor::from(shape, {context.output_grad(), to_size(shape.size())});
                });
  return result;
}

}  // namespace

Tensor gru(const Tensor& gates, const Tensor& weight_hh, const Tensor& bias_hh, const Tensor& initial_state,
           const TimeSteps& steps) {
  return recurrence(Operation("gru"), {gru_cell, gates, weight_hh, bias_hh, initial_state, {}, steps}).output;
}

LstmResult lstm(const Tensor& gates, const Tensor& weight_hh, const Tensor& bias_hh,
                const Tensor& initial_state, const Tensor& initial_cell, const TimeSteps& steps) {
  const RecurrenceResult result = recurrence(
      Operation("lstm"), {lstm_cell, gates, weight_hh, bias_hh, initial_state, initial_cell, steps});
  return {result.output, result.cells};
}

}}  // namespace regard::REGARD_PRECISION
