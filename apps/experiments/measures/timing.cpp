#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include "apps/experiments/measures/measures.h"
#include "autograd/graph.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/random.h"
#include "autograd/ops/attention.h"
#include "nn/general_attention/attention.h"
#include "nn/multi_head_attention.h"
#include "nn/recurrent/recurrent.h"
#include "transformer/recurrent/recurrent_config.h"

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
  const transformer::RecurrentAttention& of =
      settings.model.parts.of<transformer::RecurrentConfig>().attention;
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

/// The least time of each of these, in "turns" turns. So another load of the machine meets all of them, and
/// what it adds does not count.
std::vector<double> least_times(const Trial& trial, const std::vector<std::function<double()>>& of) {
  std::vector<double> least(of.size(), std::numeric_limits<double>::infinity());
  const Index turns = trial.job.many(static_cast<Index>(trial.options("turns").front()), 1);
  for (Index turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < of.size(); ++i) least[i] = std::min(least[i], of[i]());
  return least;
}

/// The exponents are slopes over the upper half.
void growth_of_time(Trial& trial) {
  const auto least_and_slope = [&](const std::string& by, const std::vector<double>& sizes,
                                   const auto& shape) {
    std::vector<std::function<double()>> times;
    for (const double size : sizes)
      times.emplace_back([&trial, of = LayerShape(shape(size))] {
        return layer_time(trial, of.length * of.width > 1e5 ? 1 : 7, of);
      });
    const std::vector<double> least = least_times(trial, times);
    const Index half = std::ssize(sizes) / 2;
    trial.measured["by_" + by] = least;
    trial.measured["exponent_" + by] = {
        exponent({sizes.begin() + half, sizes.end()}, {least.begin() + half, least.end()})};
  };
  least_and_slope("n", trial.options("lengths"),
                  [](double n) { return LayerShape{.length = n, .width = 64}; });
  least_and_slope("d", trial.options("widths"),
                  [](double d) { return LayerShape{.length = 64, .width = d}; });
}

void speed_up(Trial& trial) {
  for (const double sentences : trial.options("sentences")) {
    const auto on = [&](int threads) {
      return [&trial, sentences, threads] {
        set_threads(threads);
        return layer_time(
            trial, 3,
            {.length = trial.option("length", 64), .width = 256, .sentences = sentences, .heads = 8});
      };
    };
    const std::vector<double> least = least_times(trial, {on(1), on(2)});
    trial.measured["speed_up"].push_back(least[0] / least[1]);
    trial.measured["ms"].push_back(least[0]);
  }
}

void time_of_heads(Trial& trial) {
  std::vector<std::function<double()>> times;
  for (const double heads : trial.options("heads"))
    times.emplace_back([heads] {
      return multi_head_milliseconds(3, {.length = 256, .width = 256, .sentences = 4, .heads = heads});
    });
  trial.measured["ms"] = least_times(trial, times);
}

void time_of_looking(Trial& trial) {
  for (const double words : trial.options("lengths"))
    trial.measured["ms"].push_back(looking_milliseconds(trial.job.many(51, 1), static_cast<Index>(words),
                                                        trial.trained().translator.model().settings));
}

}  // namespace

std::vector<Measure> measures_of_time() {
  return {{"growth_of_time", "by_n by_d exponent_n exponent_d",
           "the least in some turns, for lengths and widths of attention, or of a recurrence (recurrence: 1)",
           growth_of_time, "lengths widths recurrence turns", Model::none},
          {"speed_up", "speed_up ms",
           "of two threads for each of sentences, and ms on one, the least in some turns (recurrence: 1)",
           speed_up, "sentences length recurrence turns", Model::none},
          {"time_of_heads", "ms", "the least in some turns, of a layer with each of heads", time_of_heads,
           "heads turns", Model::none},
          {"time_of_looking", "ms", "in which 32 queries look at a source, for each of lengths",
           time_of_looking, "lengths"}};
}

}  // namespace regard::experiments
