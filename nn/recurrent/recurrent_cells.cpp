#include "nn/recurrent/recurrent_cells.h"

#include "autograd/kernels/squash.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

// GRU (Cho et al. 2014, eqs. 5 to 8), gates in PyTorch's order r, z, n:
//   r  = sigmoid(W_ir x + b_ir + W_hr h + b_hr)        reset gate
//   z  = sigmoid(W_iz x + b_iz + W_hz h + b_hz)        update gate
//   n  = tanh(W_in x + b_in + r (W_hn h + b_hn))       candidate
//   h' = (1 - z) n + z h
// As in PyTorch, r multiplies the product W_hn h + b_hn. In the paper it multiplies h before the product, and
// z and 1 - z are exchanged (its eq. 7).
void gru_forward(CellStep step) noexcept {
  const Index d = step.width;
  const Real* const bias = step.bias;
  for (Index i = 0; i < step.sentences; ++i) {
    const Real* const x = step.gates + step.rows[i] * 3 * d;
    const Real* const hidden = step.hidden.data + i * step.hidden.stride;
    Real* const state = step.state.data + i * step.state.stride;
    Real* const y = step.output + step.rows[i] * d;
    Real* const saved = step.saved + step.rows[i] * step.saved_stride;
#pragma omp simd
    for (Index j = 0; j < d; ++j) {
      const Real r = sigmoid(x[j] + hidden[j] + bias[j]);
      const Real z = sigmoid(x[d + j] + hidden[d + j] + bias[d + j]);
      const Real hidden_n = hidden[2 * d + j] + bias[2 * d + j];
      const Real n = hyperbolic_tangent(x[2 * d + j] + r * hidden_n);
      const Real h = state[j], next = n + z * (h - n);
      saved[j] = r;
      saved[d + j] = z;
      saved[2 * d + j] = n;
      saved[3 * d + j] = hidden_n;
      saved[4 * d + j] = h;
      state[j] = next;
      y[j] = next;
    }
  }
}

// With a_r, a_z, a_n the arguments of sigmoid and tanh, and dh' = dL/dh' from above and from the next step:
//   da_z = dh' (h - n) z (1 - z)
//   da_n = dh' (1 - z) (1 - n^2)
//   da_r = da_n (W_hn h + b_hn) r (1 - r)
//   dh   = dh' z + [da_r, da_z, da_n r] W_hh           (the product follows outside)
void gru_backward(CellStep step, CellGradients gradients) noexcept {
  const Index d = step.width;
  for (Index i = 0; i < step.sentences; ++i) {
    const Index row = step.rows[i];
    const Real* const saved = step.saved + row * step.saved_stride;
    const Real* const dy = gradients.output + row * d;
    Real* const dstate = step.state.data + i * step.state.stride;
    Real* const dhidden = step.hidden.data + i * step.hidden.stride;
    Real* const dgates = gradients.gates + row * 3 * d;
    Real* const kept = gradients.hidden + row * 3 * d;
#pragma omp simd
    for (Index j = 0; j < d; ++j) {
      const Real r = saved[j], z = saved[d + j], n = saved[2 * d + j];
      const Real hidden_n = saved[3 * d + j], h = saved[4 * d + j];
      const Real dnext = dstate[j] + dy[j];
      const Real dz = dnext * (h - n) * z * (1 - z);
      const Real dn = dnext * (1 - z) * (1 - n * n);
      const Real dr = dn * hidden_n * r * (1 - r);
      dgates[j] = dhidden[j] = kept[j] = dr;
      dgates[d + j] = dhidden[d + j] = kept[d + j] = dz;
      dgates[2 * d + j] = dn;
      dhidden[2 * d + j] = kept[2 * d + j] = dn * r;
      dstate[j] = dnext * z;
    }
  }
}

// LSTM (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000), gates in PyTorch's order
// i, f, g, o:
//   i  = sigmoid(W_ii x + b_ii + W_hi h + b_hi)        input gate
//   f  = sigmoid(W_if x + b_if + W_hf h + b_hf)        forget gate
//   g  = tanh(W_ig x + b_ig + W_hg h + b_hg)           candidate
//   o  = sigmoid(W_io x + b_io + W_ho h + b_ho)        output gate
//   c' = f c + i g
//   h' = o tanh(c')
void lstm_forward(CellStep step) noexcept {
  const Index d = step.width;
  const Real* const bias = step.bias;
  for (Index sentence = 0; sentence < step.sentences; ++sentence) {
    const Index row = step.rows[sentence];
    const Real* const x = step.gates + row * 4 * d;
    const Real* const hidden = step.hidden.data + sentence * step.hidden.stride;
    Real* const state = step.state.data + sentence * step.state.stride;
    Real* const cell = step.cell.data + sentence * step.cell.stride;
    Real* const y = step.output + row * d;
    Real* const saved = step.saved + row * step.saved_stride;
#pragma omp simd
    for (Index j = 0; j < d; ++j) {
      const Real i = sigmoid(x[j] + hidden[j] + bias[j]);
      const Real f = sigmoid(x[d + j] + hidden[d + j] + bias[d + j]);
      const Real g = hyperbolic_tangent(x[2 * d + j] + hidden[2 * d + j] + bias[2 * d + j]);
      const Real o = sigmoid(x[3 * d + j] + hidden[3 * d + j] + bias[3 * d + j]);
      const Real c = cell[j], next = f * c + i * g, squashed = hyperbolic_tangent(next);
      saved[j] = i;
      saved[d + j] = f;
      saved[2 * d + j] = g;
      saved[3 * d + j] = o;
      saved[4 * d + j] = squashed;
      saved[5 * d + j] = c;
      saved[6 * d + j] = state[j];
      cell[j] = next;
      state[j] = y[j] = o * squashed;
    }
  }
}

// With a_i .. a_o the arguments of sigmoid and tanh:
//   da_o = dh' tanh(c') o (1 - o)
//   dc'  = (from the next step) + dh' o (1 - tanh(c')^2)
//   da_i = dc' g i (1 - i),  da_f = dc' c f (1 - f),  da_g = dc' i (1 - g^2)
//   dc   = dc' f,  dh = [da_i, da_f, da_g, da_o] W_hh  (the product follows outside)
void lstm_backward(CellStep step, CellGradients gradients) noexcept {
  const Index d = step.width;
  for (Index sentence = 0; sentence < step.sentences; ++sentence) {
    const Index row = step.rows[sentence];
    const Real* const saved = step.saved + row * step.saved_stride;
    const Real* const dy = gradients.output + row * d;
    Real* const dstate = step.state.data + sentence * step.state.stride;
    Real* const dcell = step.cell.data + sentence * step.cell.stride;
    Real* const dhidden = step.hidden.data + sentence * step.hidden.stride;
    Real* const dgates = gradients.gates + row * 4 * d;
#pragma omp simd
    for (Index j = 0; j < d; ++j) {
      const Real i = saved[j], f = saved[d + j], g = saved[2 * d + j], o = saved[3 * d + j];
      const Real squashed = saved[4 * d + j], c = saved[5 * d + j];
      const Real dh = dstate[j] + dy[j];
      const Real dc = dcell[j] + dh * o * (1 - squashed * squashed);
      dgates[j] = dhidden[j] = dc * g * i * (1 - i);
      dgates[d + j] = dhidden[d + j] = dc * c * f * (1 - f);
      dgates[2 * d + j] = dhidden[2 * d + j] = dc * i * (1 - g * g);
      dgates[3 * d + j] = dhidden[3 * d + j] = dh * squashed * o * (1 - o);
      dcell[j] = dc * f;
      dstate[j] = 0;
    }
  }
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
