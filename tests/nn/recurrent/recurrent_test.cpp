// Recurrent layers: steps, dropout, a second backward and errors. Their values and gradients are compared
// with PyTorch's (tests/transformer/recurrent).
#include "nn/recurrent/recurrent.h"

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;
using nn::Cell;
using nn::Recurrent;

namespace {

Recurrent make(Cell cell, const Recurrent::Settings& settings, std::uint64_t seed) {
  Random random(seed);
  return Recurrent(cell, settings, random);
}

const std::vector<Cell> cells{Cell::gru, Cell::lstm};

}  // namespace

TEST_CASE("step by step gives what all steps at once give, from any state") {
  for (const Cell cell : cells) {
    Recurrent layer = make(cell, {.input = 3, .hidden = 4, .layers = 2}, 7);
    const std::vector<Index> at = offsets({3, 3});
    const Tensor x = normal({6, 3}, 8);
    std::vector<nn::RecurrentState> states;
    for (std::uint64_t i = 0; i < 2; ++i) {
      states.push_back({normal({2, 4}, 9 + i), {}});
      if (cell == Cell::lstm) states.back().c = normal({2, 4}, 11 + i);
    }
    const Recurrent::Output all = layer(x, at, states);
    for (Index t = 0; t < 3; ++t) {
      const std::vector<std::int32_t> now{static_cast<std::int32_t>(t), static_cast<std::int32_t>(3 + t)};
      const Recurrent::Weights& first = layer.weights.front();
      const Tensor gates = linear(gather(x, 0, now), first.weight_ih, first.bias_ih);
      const Recurrent::Output one = layer.step_from_gates(gates, states);
      CHECK(error(one.rows, gather(all.rows, 0, now)) < 1e-14);
      states = one.states;
    }
    for (std::size_t i = 0; i < 2; ++i) CHECK(error(states[i].h, all.states[i].h) < 1e-14);
    CHECK(error(layer(x, at).rows, all.rows) > 1e-3);  // the state that it begins from matters
  }
}

TEST_CASE("a gradient of the last cells does not come back in a second backward without them") {
  Recurrent layer = make(Cell::lstm, {.input = 3, .hidden = 4}, 17);
  const auto weight_gradient = [&](bool cells_first) {
    const Recurrent::Output output = layer(normal({5, 3}, 18), {0, 2, 5});
    const Tensor rows = sum(output.rows);
    if (cells_first) backward(sum(output.states.front().c) + rows, {.retain_graph = true});
    layer.weights.front().weight_hh.zero_grad();
    return gradients(rows, {layer.weights.front().weight_hh}).front();
  };
  CHECK(same_bits(weight_gradient(true), weight_gradient(false)));
}

TEST_CASE("dropout lies between the layers and nowhere else") {
  for (const Index layers : {1, 2}) {
    Recurrent layer = make(Cell::gru, {.input = 3, .hidden = 16, .layers = layers, .dropout = 0.5}, 13);
    const Tensor x = normal({6, 3}, 14);
    const Tensor trained = layer(x, {0, 6}).rows;
    layer.eval();
    CHECK(same_bits(trained, layer(x, {0, 6}).rows) == (layers == 1));
  }
}

TEST_CASE("a recurrent layer says which shape does not fit") {
  Recurrent layer = make(Cell::lstm, {.input = 3, .hidden = 4}, 15);
  CHECK_ERROR(layer(normal({6, 3}, 1), {0, 2, 2, 6}), "sentence 1 is empty");
  CHECK_THROWS_WITH(layer(normal({6, 3}, 1), {0, 2, 5}),
                    ContainsSubstring("[6, 16]") && ContainsSubstring("5 rows"));
  CHECK_THROWS_WITH(layer(normal({6, 3}, 1), {0, 2, 6}, {{normal({3, 4}, 2), {}}}),
                    ContainsSubstring("[3, 4]") && ContainsSubstring("[2, 4]"));
  CHECK_ERROR(layer(normal({6, 3}, 1), {0, 6}, {{}, {}}), "2 initial states");
  Recurrent both = make(Cell::gru, {.input = 3, .hidden = 4, .bidirectional = true}, 16);
  CHECK_ERROR(both.step_from_gates(normal({2, 12}, 1), {}), "cannot run step by step");
  CHECK_ERROR(make(Cell::gru, {.input = 0, .hidden = 4}, 1), "input 0");
}
