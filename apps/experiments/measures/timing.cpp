#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "apps/experiments/measures/measures.h"
#include "autograd/graph.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/random.h"
#include "autograd/ops/attention.h"
#include "nn/attention.h"
#include "nn/multi_head_attention.h"
#include "nn/recurrent.h"

// Measures of time.

namespace regard::experiments {

namespace {

/// What a layer is measured on. Numbers of an axis, so not whole ones.
struct LayerShape {
  double length;  ///< words of a sentence
  double width;
  double sentences = 1, heads = 1;
};

double median(std::vector<double> of) {
  std::ranges::nth_element(of, of.begin() + to_index(of.size()) / 2);
  return of[of.size() / 2];
}

}  // namespace

double milliseconds(Index calls, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  work();
  std::vector<double> times;
  for (Index i = 0; i < calls; ++i) {
    const auto begin = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  return median(times);
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

Index rounded_down(double number) { return static_cast<Index>(number); }

std::vector<Index> offsets_of(const LayerShape& shape) {
  std::vector<Index> offsets{0};
  for (Index i = 0; i < rounded_down(shape.sentences); ++i)
    offsets.push_back(offsets.back() + rounded_down(shape.length));
  return offsets;
}

/// softmax(Q K^T / sqrt(d_k)) V alone, forward and backward.
double attention_milliseconds(Index calls, const LayerShape& shape) {
  const std::vector<Index> offsets = offsets_of(shape);
  const Index width = rounded_down(shape.width);
  return layer_milliseconds(calls, {offsets.back(), 3 * width}, [&](const Tensor& x) {
    return attention(ColumnSlice(x, 0, width), ColumnSlice(x, width, width), ColumnSlice(x, 2 * width, width),
                     segments(offsets, offsets), {.heads = rounded_down(shape.heads)});
  });
}

/// The steps of a GRU, without the products with its inputs.
double recurrence_milliseconds(Index calls, const LayerShape& shape) {
  const TimeSteps steps(offsets_of(shape));
  Random random(2);
  const Index width = rounded_down(shape.width);
  nn::GRU layer({.input = 1, .hidden = width}, random);
  const nn::Recurrent::Weights& weights = layer.weights.front();
  return layer_milliseconds(calls, {offsets_of(shape).back(), gru_gates * width}, [&](const Tensor& gates) {
    return gru(gates, weights.weight_hh, weights.bias_hh, {}, steps);
  });
}

/// The whole multi-head layer, with its projections.
double multi_head_milliseconds(Index calls, const LayerShape& shape) {
  const std::vector<Index> offsets = offsets_of(shape);
  Random random(2);
  nn::MultiHeadAttention layer({.d_model = rounded_down(shape.width), .heads = rounded_down(shape.heads)},
                               random);
  return layer_milliseconds(calls, {offsets.back(), rounded_down(shape.width)}, [&](const Tensor& x) {
    return layer.self(x, segments(offsets, offsets), nn::MultiHeadAttention::Mask::none);
  });
}

/// Milliseconds in which 32 queries look at a source of this many words, under the window of these settings.
double looking_milliseconds(Index calls, Index words, const translation::Settings& settings) {
  const NoGrad no_grad;
  Random random(1);
  const transformer::RecurrentAttention& of = settings.model.recurrent.attention;
  constexpr Index width = 64, queries = 32;
  const nn::Attention attention({.query_width = width,
                                 .memory_width = width,
                                 .score = of.score,
                                 .window = of.window,
                                 .radius = of.radius},
                                random);
  const Tensor query = Tensor::normal({queries, width}, 0, 1, random);
  const nn::Attention::KeysAndValues memory = attention.prepare(Tensor::normal({words, width}, 0, 1, random));
  std::vector<std::int32_t> positions;
  for (Index i = 0; i < queries; ++i) positions.push_back(static_cast<std::int32_t>(i * words / queries));
  return milliseconds(calls, [&] { attention(query, memory, {{0, queries, 0, words}}, positions); });
}

double layer_time(const Trial& trial, Index calls, const LayerShape& shape) {
  return trial.option("recurrence", 0) > 0 ? recurrence_milliseconds(calls, shape)
                                           : attention_milliseconds(calls, shape);
}

/// The exponents are slopes over the upper half.
void growth_of_time(Trial& trial) {
  const auto upper = [](const std::vector<double>& of) {
    return std::vector(of.begin() + to_index(of.size()) / 2, of.end());
  };
  const std::vector<double>&lengths = trial.options("lengths"), &widths = trial.options("widths");
  const auto time = [&](double n, double d) {
    return layer_time(trial, trial.job.many(n * d > 1e5 ? 5 : 31, 1), {.length = n, .width = d});
  };
  std::vector<double>&by_n = trial.measured["by_n"], &by_d = trial.measured["by_d"];
  for (const double n : lengths) by_n.push_back(time(n, 64));
  for (const double d : widths) by_d.push_back(time(64, d));
  trial.measured["exponent_n"] = {exponent(upper(lengths), upper(by_n))};
  trial.measured["exponent_d"] = {exponent(upper(widths), upper(by_d))};
}

/// One thread and two take turns, so that another load of the machine meets both.
void speed_up(Trial& trial) {
  for (const double sentences : trial.options("sentences")) {
    const LayerShape shape{
        .length = trial.option("length", 64), .width = 256, .sentences = sentences, .heads = 8};
    const auto time = [&](int threads) {
      set_threads(threads);
      return layer_time(trial, trial.job.many(15, 1), shape);
    };
    std::vector<double> one, quotients;
    for (Index turn = 0; turn < trial.job.many(9, 1); ++turn) {
      one.push_back(time(1));
      quotients.push_back(one.back() / time(2));
    }
    trial.measured["speed_up"].push_back(median(quotients));
    trial.measured["ms"].push_back(median(one));
  }
}

void time_of_heads(Trial& trial) {
  trial.measured["ms"] = {multi_head_milliseconds(
      trial.job.many(21, 1),
      {.length = 256, .width = 256, .sentences = 4, .heads = trial.options("heads").front()})};
}

void time_of_looking(Trial& trial) {
  for (const double words : trial.options("lengths"))
    trial.measured["ms"].push_back(looking_milliseconds(trial.job.many(51, 1), static_cast<Index>(words),
                                                        trial.trained().translator.model().settings));
}

}  // namespace

std::vector<Measure> measures_of_time() {
  return {{"growth_of_time", "by_n by_d exponent_n exponent_d",
           "ms for lengths and widths of attention, or of a recurrence (recurrence: 1)", growth_of_time,
           "lengths widths recurrence", Model::none},
          {"speed_up", "speed_up ms", "of two threads for each of sentences; ms on one (recurrence: 1)",
           speed_up, "sentences length recurrence", Model::none},
          {"time_of_heads", "ms", "of a layer with so many heads", time_of_heads, "heads", Model::none},
          {"time_of_looking", "ms", "in which 32 queries look at a source, for each of lengths",
           time_of_looking, "lengths"}};
}

}  // namespace regard::experiments
