#include "apps/bench/long_bench.h"

#include "apps/bench/timing.h"
#include "autograd/error.h"
#include "autograd/memory.h"
#include "autograd/ops.h"
#include "autograd/parallel.h"
#include "transformer/self_attention/layers.h"

namespace regard::bench {

double encoder_layer_flops(const transformer::Config& config, Index length) {
  const auto n = static_cast<double>(length), d = static_cast<double>(config.d_model),
             d_ff = static_cast<double>(config.d_ff);
  const double linear =
      n * d * (4 * d + 2 * d_ff);          // W^Q, W^K, W^V, W^O and both weights of the feed-forward network
  const double attention = 2 * n * n * d;  // Q K^T and P V, all heads together
  // A multiplication and an addition; one product forward and two backward.
  return 2 * 3 * (linear + attention);
}

void run(const LongBench& bench) {
  constexpr Index shortest = 128;
  if (bench.max_length < shortest)
    fail("--max-length {}: give a number of at least {}", bench.max_length, shortest);
  if (!(bench.seconds >= 0)) fail("--seconds {}: give a number of at least 0", bench.seconds);
  transformer::Config config = transformer::preset(bench.preset);
  config.dropout = transformer::DropoutRates::all(0.1);
  Random random(1);
  transformer::EncoderLayer layer(config, random);
  layer.set_random(1, 1);
  fmt::print("layer        one encoder layer of {}: d_model {}, heads {}, d_ff {}, dropout 0.1, {} threads\n",
             bench.preset, config.d_model, config.heads, config.d_ff, threads());
  fmt::print(
      "  length        ms   GFLOP/s   memory in MB   bytes per token [length, length] would take MB\n");
  const auto step = [&](Index length) {
    const Tensor x = Tensor::normal({length, config.d_model}, 0, 1, random).set_requires_grad();
    // The gradient of the output is random. The layer norm would turn the gradient of a plain sum into 0.
    const Tensor gradient = Tensor::normal(x.shape(), 0, 1, random);
    return [=, &layer] { sum(layer(x, {{0, length, 0, length}}) * gradient).backward(); };
  };
  step(shortest)();  // allocates the gradients of the weights
  for (Index length = shortest; length <= bench.max_length; length *= 2) {
    // The lengths ascend, so the peak of the whole run is the peak of this length.
    const std::size_t before = memory_statistics().in_use;
    const double seconds = median_seconds(bench.seconds, step(length));
    const auto memory = static_cast<double>(memory_statistics().peak_in_use - before);
    const auto n = static_cast<double>(length);
    fmt::print("{:8} {:9.2f} {:9.1f} {:14.2f} {:15.0f} {:32.1f}\n", length, 1e3 * seconds,
               1e-9 * encoder_layer_flops(config, length) / seconds, 1e-6 * memory, memory / n,
               1e-6 * n * n * static_cast<double>(config.heads) * sizeof(Real));
  }
}

}  // namespace regard::bench
