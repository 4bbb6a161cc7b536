#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "autograd/kernels/panels.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"
#include "autograd/tensor.h"
#include "nn/recurrent/recurrent_cells.h"
#include "nn/recurrent/time_steps.h"

// What a recurrence reads, and the memory in which its blocks run. For recurrence.cpp only.

namespace regard { inline namespace REGARD_PRECISION {

/// The differences between the cells.
struct CellKernels {
  Index gates;          ///< G
  Index saved;          ///< numbers per unit that the backward needs; the last is the state before the step
  bool has_cell;        ///< it has a second state c
  bool hidden_differs;  ///< the gradient of the products with the state is not that of the gates
  Kernel<void(kernels::CellStep) noexcept> forward;
  Kernel<void(kernels::CellStep, kernels::CellGradients) noexcept> backward;
};

/// A recurrence: its cell, its inputs, and what the forward keeps for the backward.
struct Recurrence {
  CellKernels cell;
  Tensor gates, weight_hh, bias_hh, initial_state, initial_cell;
  TimeSteps steps;
  Tensor saved = {};  ///< [rows, saved * d]; empty if no gradient is wanted

  Index width() const { return weight_hh.size(1); }
  Index gate_width() const { return cell.gates * width(); }
  bool takes_one_step() const { return steps.rows() == steps.sentences(); }
};

/// States of the given sentences, one row each; zeros if `from` is empty.
inline void gather_states(kernels::Matrix to, const Tensor& from, std::span<const Index> sentences,
                          Index width) {
  for (const Index sentence : sentences) {
    if (from)
      std::copy_n(from.data() + sentence * width, width, to.data);
    else
      std::fill_n(to.data, width, Real{0});
    to.data += to.stride;
  }
}

/// The reverse of gather_states. Does nothing if `to` is empty.
inline void put_states(const GradSlot& to, kernels::Matrix from, std::span<const Index> sentences,
                       Index width) {
  if (!to) return;
  for (const Index sentence : sentences) {
    for (Index j = 0; j < width; ++j) to.put(sentence * width + j, from.data[j]);
    from.data += from.stride;
  }
}

/// The memory in which one thread runs a block: for each of its sentences the state, the cell, and the
/// product with the state (in the backward their gradients).
struct Workspace {
  kernels::Matrix state, cell, hidden;
};

class Workspaces {
 public:
  explicit Workspaces(const Recurrence& r)
      : rows_(r.steps.widest_block()),
        width_(kernels::in_panels(r.width())),
        gate_width_(kernels::in_panels(r.gate_width())),
        memory_(Tensor::empty({threads(), rows_ * (2 * width_ + gate_width_)})) {}

  Workspace of(int worker) const {
    Real* const first = memory_.data() + worker * memory_.size(1);
    return {{first, width_}, {first + rows_ * width_, width_}, {first + 2 * rows_ * width_, gate_width_}};
  }

 private:
  Index rows_, width_, gate_width_;
  Tensor memory_;
};

/// Calls body(block, its workspace, worker) for all blocks, on all threads.
template <class Body>
void for_each_block(const Recurrence& r, const Body& body) {
  const Workspaces spaces(r);
  const Index blocks = to_index(r.steps.blocks().size());
  const Index products = r.steps.rows() / std::max<Index>(blocks, 1) * r.gate_width() * r.width();
  parallel_for(blocks, block_size(blocks, products / multiplications_per_number),
               [&](Index begin, Index end, int worker) {
                 for (Index number = begin; number < end; ++number)
                   body(r.steps.blocks()[to_size(number)], spaces.of(worker), worker);
               });
}

/// The workspace of all sentences together, of which each takes one step.
struct OneStep {
  std::vector<Index> sentences;
  Tensor memory;  ///< [sentences, state, cell and product]
  Workspace space;

  explicit OneStep(const Recurrence& r)
      : sentences(to_size(r.steps.rows())),
        memory(Tensor::empty({r.steps.rows(), 2 * r.width() + r.gate_width()})) {
    std::iota(sentences.begin(), sentences.end(), Index{0});
    const Index stride = memory.size(1);
    space = {{memory.data(), stride},
             {memory.data() + r.width(), stride},
             {memory.data() + 2 * r.width(), stride}};
  }

  /// Calls body(sentences, their part of the workspace, worker) for blocks of the sentences, on all threads.
  template <class Body>
  void for_each_block(const Body& body) const {
    constexpr Index work = 8;  // a function of a gate costs as much as this many additions
    const Index count = to_index(sentences.size());
    parallel_for(count, block_size(count, work * memory.size(1)), [&](Index begin, Index end, int worker) {
      const auto from = [=](kernels::Matrix m) {
        return kernels::Matrix{m.data + begin * m.stride, m.stride};
      };
      body(std::span(sentences).subspan(to_size(begin), to_size(end - begin)),
           Workspace{from(space.state), from(space.cell), from(space.hidden)}, worker);
    });
  }
};

}}  // namespace regard::REGARD_PRECISION
