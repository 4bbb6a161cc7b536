#pragma once

#include "autograd/kernels/kernel.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// One step of a recurrent cell for a group of sentences, without the product with the last state. d is the
/// width of the state, G the number of gates, row i the row of the token that sentence i reads.
struct CellStep {
  Index sentences;
  Index width;         ///< d
  const Index* rows;   ///< [sentences]
  const Real* gates;   ///< [all rows, G d]: x W_ih^T + b_ih
  Matrix hidden;       ///< [sentences, G d]: h W_hh^T; the backward writes the gradient of this here
  const Real* bias;    ///< b_hh, [G d]
  Matrix state;        ///< [sentences, d]: h, replaced by the h of this step; in the backward dL/dh
  Matrix cell;         ///< [sentences, d]: likewise c, of an LSTM
  Real* saved;         ///< what the backward needs, a row of `saved_stride` numbers for each row; with
  Index saved_stride;  ///< stride 0 nothing is kept and all rows are written into one
  Real* output;        ///< [all rows, d]: h of this step
};

/// Where the gradients of one step come from and go to. The state's and the cell's are in CellStep.
struct CellGradients {
  const Real* output;  ///< dL/dh of each row from above, [all rows, d]
  Real* gates;         ///< gradient of CellStep::gates, [all rows, G d]
  Real* hidden;        ///< gradient of h W_hh^T + b_hh, [all rows, G d]. For an LSTM it equals the
                       ///< gradient of the gates, and the kernel does not write it
};

/// The numbers that a cell saves per row: gru: r, z, n, the hidden part of n, last h.
/// lstm: i, f, g, o, tanh(c), last c, last h.
inline constexpr Index gru_saved = 5, lstm_saved = 7;

REGARD_KERNEL(gru_forward, CellStep step);
REGARD_KERNEL(gru_backward, CellStep step, CellGradients gradients);
REGARD_KERNEL(lstm_forward, CellStep step);
REGARD_KERNEL(lstm_backward, CellStep step, CellGradients gradients);

}}}  // namespace regard::REGARD_PRECISION::kernels
