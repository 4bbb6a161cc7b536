// Recurrent layers: packed sentences, directions, depth and steps.
#include "nn/recurrent.h"

#include "autograd/error.h"
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

double sigma(double x) { return 1 / (1 + std::exp(-x)); }

/// Row i of W x + b.
double row(const Tensor& weight, const Tensor& bias, Index i, const Numbers& x) {
  double sum = bias.data()[i];
  for (std::size_t j = 0; j < x.size(); ++j) sum += weight.data()[i * weight.size(1) + to_index(j)] * x[j];
  return sum;
}

/// One step of a cell, number by number. Changes h and c.
void naive_step(Cell cell, const Recurrent::Weights& w, const Numbers& x, Numbers& h, Numbers& c) {
  const Index d = to_index(h.size());
  const Numbers before = h;
  for (Index i = 0; i < d; ++i) {
    const auto gate = [&](Index number, const Numbers& from, bool hidden) {
      return hidden ? row(w.weight_hh, w.bias_hh, number * d + i, from)
                    : row(w.weight_ih, w.bias_ih, number * d + i, from);
    };
    const auto both = [&](Index number) { return gate(number, x, false) + gate(number, before, true); };
    if (cell == Cell::gru) {
      const double r = sigma(both(0)), z = sigma(both(1));
      const double n = std::tanh(gate(2, x, false) + r * gate(2, before, true));
      h[to_size(i)] = (1 - z) * n + z * before[to_size(i)];
    } else {
      c[to_size(i)] = sigma(both(1)) * c[to_size(i)] + sigma(both(0)) * std::tanh(both(2));
      h[to_size(i)] = sigma(both(3)) * std::tanh(c[to_size(i)]);
    }
  }
}

const std::vector<Cell> cells{Cell::gru, Cell::lstm};
const std::vector<Index> lengths{3, 1, 5, 2, 4, 1, 2, 7, 3, 2, 1, 6};  // more sentences than one block holds

}  // namespace

TEST_CASE("a recurrent layer is the cell's equations, sentence by sentence and number by number") {
  for (const Cell cell : cells) {
    Recurrent layer = make(cell, {.input = 3, .hidden = 5}, 1);
    const std::vector<Index> at = offsets(lengths);
    const Tensor x = normal({at.back(), 3}, 2);
    const Recurrent::Output output = layer(x, at);
    Numbers expected, last;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      Numbers h(5, 0), c(5, 0);
      for (Index t = at[i]; t < at[i + 1]; ++t) {
        naive_step(cell, layer.weights.front(), numbers(slice(x, 0, t, t + 1)), h, c);
        expected.insert(expected.end(), h.begin(), h.end());
      }
      last.insert(last.end(), h.begin(), h.end());
    }
    CHECK(error(output.rows, expected) < 1e-13);
    CHECK(error(output.states.front().h, last) < 1e-13);
  }
}

TEST_CASE("a bidirectional layer is two layers, one of them over the reversed sentences") {
  for (const Cell cell : cells) {
    Recurrent both = make(cell, {.input = 3, .hidden = 4, .bidirectional = true}, 3);
    Recurrent forward = make(cell, {.input = 3, .hidden = 4}, 4),
              backward = make(cell, {.input = 3, .hidden = 4}, 5);
    forward.weights.front() = both.weights[0];
    backward.weights.front() = both.weights[1];
    const std::vector<Index> at = offsets(lengths);
    std::vector<std::int32_t> reversed;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      for (Index t = at[i + 1] - 1; t >= at[i]; --t) reversed.push_back(static_cast<std::int32_t>(t));
    const Tensor x = normal({at.back(), 3}, 6);
    const Recurrent::Output output = both(x, at), other = backward(gather(x, 0, reversed), at);
    CHECK(same_bits(output.rows, concat({forward(x, at).rows, gather(other.rows, 0, reversed)}, 1)));
    CHECK(same_bits(output.states[1].h, other.states[0].h));
    CHECK_FALSE(same_bits(output.rows, concat({forward(x, at).rows, backward(x, at).rows}, 1)));
  }
}

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
      const Recurrent::Output one = layer.step(gather(x, 0, now), states);
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
  CHECK_THROWS_WITH(layer(normal({6, 3}, 1), {0, 2, 2, 6}), Catch::Contains("sentence 1 is empty"));
  CHECK_THROWS_WITH(layer(normal({6, 3}, 1), {0, 2, 5}),
                    Catch::Contains("[6, 16]") && Catch::Contains("5 rows"));
  CHECK_THROWS_WITH(layer(normal({6, 3}, 1), {0, 2, 6}, {{normal({3, 4}, 2), {}}}),
                    Catch::Contains("[3, 4]") && Catch::Contains("[2, 4]"));
  CHECK_THROWS_WITH(layer(normal({6, 3}, 1), {0, 6}, {{}, {}}), Catch::Contains("2 initial states"));
  Recurrent both = make(Cell::gru, {.input = 3, .hidden = 4, .bidirectional = true}, 16);
  CHECK_THROWS_WITH(both.step(normal({2, 3}, 1), {}), Catch::Contains("cannot run step by step"));
  CHECK_THROWS_WITH(make(Cell::gru, {.input = 0, .hidden = 4}, 1), Catch::Contains("input 0"));
}
