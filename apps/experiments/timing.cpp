#include "apps/experiments/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "autograd/graph.h"
#include "autograd/ops/attention.h"
#include "autograd/random.h"
#include "nn/multi_head_attention.h"
#include "nn/recurrent.h"

namespace regard::experiments {

double milliseconds(Index calls, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  work();
  std::vector<double> times;
  for (Index i = 0; i < calls; ++i) {
    const auto begin = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::ranges::nth_element(times, times.begin() + calls / 2);
  return times[to_size(calls / 2)];
}

namespace {

/// Calls layer(x) for random rows x[rows, width], and takes all gradients.
double layer_milliseconds(Index calls, const Shape& shape,
                          const std::function<Tensor(const Tensor&)>& layer) {
  Random random(1);
  Tensor x = Tensor::normal(shape, 0, 1, random);
  x.set_requires_grad();
  Tensor cotangent;
  return milliseconds(calls, [&] {
    x.zero_grad();
    const Tensor y = layer(x);
    if (!cotangent) cotangent = Tensor::normal(y.shape(), 0, 1, random);
    backward(y, {.cotangent = cotangent});
  });
}

Index whole(double number) { return static_cast<Index>(number); }

std::vector<Index> offsets_of(const LayerShape& shape) {
  std::vector<Index> offsets{0};
  for (Index i = 0; i < whole(shape.sentences); ++i) offsets.push_back(offsets.back() + whole(shape.length));
  return offsets;
}

}  // namespace

double attention_milliseconds(Index calls, const LayerShape& shape) {
  const std::vector<Index> offsets = offsets_of(shape);
  const Index width = whole(shape.width);
  return layer_milliseconds(calls, {offsets.back(), 3 * width}, [&](const Tensor& x) {
    return attention(ColumnSlice(x, 0, width), ColumnSlice(x, width, width), ColumnSlice(x, 2 * width, width),
                     segments(offsets, offsets), {.heads = whole(shape.heads)});
  });
}

double recurrence_milliseconds(Index calls, const LayerShape& shape) {
  const TimeSteps steps(offsets_of(shape));
  Random random(2);
  const Index width = whole(shape.width);
  nn::GRU layer({.input = 1, .hidden = width}, random);
  const nn::Recurrent::Weights& weights = layer.weights.front();
  return layer_milliseconds(calls, {offsets_of(shape).back(), gru_gates * width}, [&](const Tensor& gates) {
    return gru(gates, weights.weight_hh, weights.bias_hh, {}, steps);
  });
}

double multi_head_milliseconds(Index calls, const LayerShape& shape) {
  const std::vector<Index> offsets = offsets_of(shape);
  Random random(2);
  nn::MultiHeadAttention layer({.d_model = whole(shape.width), .heads = whole(shape.heads)}, random);
  return layer_milliseconds(calls, {offsets.back(), whole(shape.width)}, [&](const Tensor& x) {
    return layer.self(x, segments(offsets, offsets), nn::MultiHeadAttention::Mask::none);
  });
}

double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0, mean_y = 0, above = 0, below = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / n;
    mean_y += std::log(y[i]) / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    above += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    below += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return above / below;
}

}  // namespace regard::experiments
