#include "nn/recurrent/recurrent.h"

#include <cmath>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

CellShape shape_of(Cell cell) {
  switch (cell) {
    case Cell::gru:
      return {.gates = gru_gates, .states = 1};
    case Cell::lstm:
      return {.gates = lstm_gates, .states = 2};
  }
  fail("Recurrent: there is no cell {}", static_cast<int>(cell));
}

Recurrent::Recurrent(Cell cell, const Settings& settings, Random& random) : cell_(cell), settings_(settings) {
  if (settings.input < 1 || settings.hidden < 1 || settings.layers < 1)
    fail("a recurrent layer has input {}, hidden {} and layers {}; each must be at least 1", settings.input,
         settings.hidden, settings.layers);
  const Index gates = shape_of(cell).gates * settings.hidden;
  const auto bound = static_cast<Real>(1 / std::sqrt(static_cast<double>(settings.hidden)));
  const auto uniform = [&](const Shape& shape) {
    return parameter(Tensor::uniform(shape, -bound, bound, random));
  };
  for (Index layer = 0; layer < settings.layers; ++layer) {
    for (Index direction = 0; direction < directions(); ++direction) {
      const Index in = layer == 0 ? settings.input : width();
      const Tensor weight_ih = uniform({gates, in}), weight_hh = uniform({gates, settings.hidden});
      const Tensor bias_ih = uniform({gates}), bias_hh = uniform({gates});
      weights.push_back({weight_ih, weight_hh, bias_ih, bias_hh});
    }
    if (layer > 0) dropouts_.emplace_back(settings.dropout);
  }
}

Tensor Recurrent::run(const Tensor& gates, const Weights& of, const RecurrentState& initial,
                      const TimeSteps& steps, RecurrentState& last) const {
  Tensor rows;
  switch (cell_) {
    case Cell::gru:
      rows = gru(gates, of.weight_hh, of.bias_hh, initial.h, steps);
      break;
    case Cell::lstm: {
      const LstmResult result = lstm(gates, of.weight_hh, of.bias_hh, initial.h, initial.c, steps);
      rows = result.output;
      last.c = result.cells;
      break;
    }
  }
  last.h = steps.rows() == steps.sentences() ? rows : gather(rows, 0, steps.last_rows());
  return rows;
}

Recurrent::Output Recurrent::operator()(const Tensor& x, const std::vector<Index>& offsets,
                                        const std::vector<RecurrentState>& initial) {
  if (!initial.empty() && initial.size() != weights.size())
    fail("a recurrent layer got {} initial states; it needs {}, one for each layer and direction",
         initial.size(), weights.size());
  std::vector<TimeSteps> steps{TimeSteps(offsets, Direction::forward)};
  if (settings_.bidirectional) steps.emplace_back(offsets, Direction::backward);
  Output result{x, std::vector<RecurrentState>(weights.size())};
  for (std::size_t i = 0; i < weights.size();) {
    if (i > 0) result.rows = dropouts_[i / steps.size() - 1](result.rows);
    std::vector<Tensor> sides;
    for (const TimeSteps& direction : steps) {
      const Tensor gates = linear(result.rows, weights[i].weight_ih, weights[i].bias_ih);
      sides.push_back(run(gates, weights[i], initial.empty() ? RecurrentState{} : initial[i], direction,
                          result.states[i]));
      ++i;
    }
    result.rows = sides.size() == 1 ? sides.front() : concat(sides, 1);
  }
  return result;
}

Recurrent::Output Recurrent::step_from_gates(const Tensor& gates, const std::vector<RecurrentState>& states) {
  if (settings_.bidirectional) fail("a bidirectional layer cannot run step by step");
  const TimeSteps one_step = TimeSteps::one_step(gates.size(0));
  Output result{{}, std::vector<RecurrentState>(weights.size())};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Tensor of_layer =
        i == 0 ? gates : linear(dropouts_[i - 1](result.rows), weights[i].weight_ih, weights[i].bias_ih);
    result.rows =
        run(of_layer, weights[i], states.empty() ? RecurrentState{} : states[i], one_step, result.states[i]);
  }
  return result;
}

void Recurrent::visit(Visitor& visitor) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto per_layer = to_size(directions());
    const std::string suffix = "_l" + std::to_string(i / per_layer) + (i % per_layer == 1 ? "_reverse" : "");
    visitor("weight_ih" + suffix, weights[i].weight_ih);
    visitor("weight_hh" + suffix, weights[i].weight_hh);
    visitor("bias_ih" + suffix, weights[i].bias_ih);
    visitor("bias_hh" + suffix, weights[i].bias_hh);
  }
  for (Dropout& dropout : dropouts_) visitor(dropout);
}

}}}  // namespace regard::REGARD_PRECISION::nn
