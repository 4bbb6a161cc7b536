#pragma once

#include "autograd/tensor.h"
#include "nn/recurrent/time_steps.h"

namespace regard { inline namespace REGARD_PRECISION {

// A recurrent layer over all steps of all sentences, as one operation (nn/recurrent/recurrent_cells.cpp
// has the equations). The products with the inputs need no recurrence, so they come first, in one product for
// all tokens:
//   gates = linear(x, weight_ih, bias_ih)
// Shapes: gates[rows, G d], weight_hh[G d, d], bias_hh[G d], initial states [sentences, d] (empty: zeros).
// Names and order of the gates are PyTorch's. All throw Error naming the shapes that do not fit.

/// G: the number of gates, and of rows of the weights for each unit.
inline constexpr Index gru_gates = 3, lstm_gates = 4;

/// The state h after each row, [rows, d].
Tensor gru(const Tensor& gates, const Tensor& weight_hh, const Tensor& bias_hh, const Tensor& initial_state,
           const TimeSteps& steps);

struct LstmResult {
  Tensor output;  ///< the state h after each row, [rows, d]
  Tensor cells;   ///< the cell c of each sentence after its last step, [sentences, d]
};
/// An LSTM over all rows; `initial_cell` is as `initial_state`.
LstmResult lstm(const Tensor& gates, const Tensor& weight_hh, const Tensor& bias_hh,
                const Tensor& initial_state, const Tensor& initial_cell, const TimeSteps& steps);

}}  // namespace regard::REGARD_PRECISION
