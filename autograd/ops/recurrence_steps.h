#pragma once

#include "autograd/kernels/recurrent_cells.h"
#include "autograd/tensor.h"
#include "autograd/time_steps.h"

// How a recurrent layer runs through its steps. For recurrence.cpp.

namespace regard { inline namespace REGARD_PRECISION {

/// The differences between the cells.
struct Cell {
  Index gates;  ///< G
  Index saved;  ///< numbers per unit that the backward needs; the last is the state before the step
  Kernel<void(kernels::CellStep) noexcept> forward;
  Kernel<void(kernels::CellStep, kernels::CellGradients) noexcept> backward;
};
inline constexpr Cell gru_cell{3, kernels::gru_saved, kernels::gru_forward, kernels::gru_backward};
inline constexpr Cell lstm_cell{4, kernels::lstm_saved, kernels::lstm_forward, kernels::lstm_backward};

/// A recurrence: its cell, its inputs, and what the forward keeps for the backward.
struct Recurrence {
  Cell cell;
  Tensor gates, weight_hh, bias_hh, initial_state, initial_cell;
  TimeSteps steps;
  Tensor saved = {};  ///< [rows, saved * d]; empty if no gradient is wanted

  Index width() const { return weight_hh.size(1); }
  Index gate_width() const { return cell.gates * width(); }
  bool has_cell() const { return cell.gates == 4; }
};

/// Where run_forward writes: the states after each row [rows, d], and for an LSTM the cells after the last
/// step [sentences, d].
struct RecurrenceResult {
  Tensor output, cells;
};
RecurrenceResult run_forward(const Recurrence& recurrence);

/// Where run_backward reads and writes.
struct RecurrenceGradients {
  const Real* output;      ///< of the states after each row
  Tensor cells;            ///< of the cells after the last step; empty if nobody used them
  Real* gates;             ///< [rows, G d]
  Real* hidden;            ///< of the products with the states, [rows, G d]; not used for an LSTM
  GradSlot initial_state;  ///< [sentences, d]; may be empty
  GradSlot initial_cell;   ///< likewise
};
void run_backward(const Recurrence& recurrence, const RecurrenceGradients& gradients);

}}  // namespace regard::REGARD_PRECISION
