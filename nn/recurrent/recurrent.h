#pragma once

#include <vector>

#include "nn/layers.h"
#include "nn/module.h"
#include "nn/recurrent/recurrence.h"

// Recurrent layers: GRU and LSTM.

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// The two recurrent cells; nn/recurrent/recurrent_cells.cpp has their equations.
enum class Cell { gru, lstm };

/// The differences between the cells outside of their equations.
struct CellShape {
  Index gates;   ///< rows of weight_ih and weight_hh for each unit
  Index states;  ///< 1: h; 2: h and c
};
CellShape shape_of(Cell cell);  ///< the shape of this kind of cell

/// The state of a recurrent layer after a step, [sentences, hidden] each; only an LSTM has c. Empty tensors
/// stand for zeros.
struct RecurrentState {
  Tensor h, c;
};

/// Recurrent layers one above another over packed sentences. Layer l of a direction computes
///   h_t, c_t = cell(x_t, h_(t-1), c_(t-1))
/// from the outputs of the layer below, which are under dropout. A bidirectional layer runs one recurrence
/// from each end and puts the two outputs side by side (Schuster and Paliwal 1997). Parameters have PyTorch's
/// names and meanings: weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_ih_l0_reverse, …, and its
/// initial values, uniform in ±1/sqrt(hidden).
class Recurrent : public Module {
 public:
  struct Settings {
    Index input;
    Index hidden;
    Index layers = 1;
    bool bidirectional = false;
    double dropout = 0;  ///< on the output of every layer but the last
  };
  /// Throws Error unless input, hidden and layers are at least 1.
  Recurrent(Cell cell, const Settings& settings, Random& random);

  struct Output {
    Tensor rows;  ///< of the last layer, [rows, width()]
    /// After the last step, layer by layer, in each layer the forward direction first.
    std::vector<RecurrentState> states;
  };
  /// x[rows, input], sentence i in the rows offsets[i] .. offsets[i + 1]. `initial` has an entry for each
  /// layer and direction, or is empty.
  Output operator()(const Tensor& x, const std::vector<Index>& offsets,
                    const std::vector<RecurrentState>& initial = {});

  /// One step from the gates of the first layer, x weight_ih^T + bias_ih, which may be computed for many
  /// steps at once. gates[sentences, gates * hidden]. Throws Error for a bidirectional layer.
  Output step_from_gates(const Tensor& gates, const std::vector<RecurrentState>& states);

  void visit(Visitor& visitor) override;
  Cell cell() const { return cell_; }                                   ///< gru or lstm
  const Settings& settings() const { return settings_; }                ///< as given to the constructor
  Index directions() const { return settings_.bidirectional ? 2 : 1; }  ///< 2 if bidirectional, otherwise 1
  /// Width of the output.
  Index width() const { return directions() * settings_.hidden; }

  struct Weights {
    Tensor weight_ih, weight_hh, bias_ih, bias_hh;
  };
  std::vector<Weights> weights;  ///< layer by layer, in each layer the forward direction first

 private:
  Tensor run(const Tensor& gates, const Weights& of, const RecurrentState& initial, const TimeSteps& steps,
             RecurrentState& last) const;

  Cell cell_;
  Settings settings_;
  std::vector<Dropout> dropouts_;  ///< between the layers
};

/// Gated recurrent units (Cho et al. 2014).
class GRU : public Recurrent {
 public:
  GRU(const Settings& settings, Random& random) : Recurrent(Cell::gru, settings, random) {}
};

/// Long short-term memory (Hochreiter and Schmidhuber 1997).
class LSTM : public Recurrent {
 public:
  LSTM(const Settings& settings, Random& random) : Recurrent(Cell::lstm, settings, random) {}
};

}}}  // namespace regard::REGARD_PRECISION::nn
