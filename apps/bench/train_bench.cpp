#include <fmt/format.h>
#include <sys/resource.h>

#include "apps/bench/training.h"
#include "autograd/memory.h"

namespace regard::bench {

namespace {

/// Sums over the steps after the warm-up.
struct Sums {
  double seconds = 0, batching_seconds = 0, floor_seconds = 0, flops = 0, tokens = 0, loss = 0;
};

/// Bytes before the first floor. The floor has whole matrices of logits, which a training never has.
struct PeakMemory {
  double process = 0, tensors = 0;
};

void print(const TrainingSettings& settings, Training& training, const Sums& sums, const PeakMemory& peak) {
  fmt::print("{}", training.description());
  const double steps = static_cast<double>(settings.steps);
  fmt::print("steps        {} after {} of warm-up, {:.0f} tokens each (source + target), last loss {:.4f}\n",
             settings.steps, settings.warmup_steps, sums.tokens / steps, sums.loss);
  fmt::print("training     {:8.0f} tokens/s   {:7.1f} ms per step   {:6.1f} GFLOP/s\n",
             sums.tokens / sums.seconds, 1e3 * sums.seconds / steps, 1e-9 * sums.flops / sums.seconds);
  fmt::print("floor        {:8.0f} tokens/s   {:7.1f} ms per step   {:6.1f} GFLOP/s   (the products alone)\n",
             sums.tokens / sums.floor_seconds, 1e3 * sums.floor_seconds / steps,
             1e-9 * sums.flops / sums.floor_seconds);
  fmt::print("share        {:.1f} % of the floor\n", 100 * sums.floor_seconds / sums.seconds);
  fmt::print("batching     {:.3f} ms per step, {:.2f} % of a step\n", 1e3 * sums.batching_seconds / steps,
             100 * sums.batching_seconds / sums.seconds);
  fmt::print("peak memory  {:.2f} GB, of which tensors {:.2f} GB\n", 1e-9 * peak.process,
             1e-9 * peak.tensors);
}

}  // namespace

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void bench_training(const TrainingSettings& settings) {
  Training training(settings);
  Sums sums;
  PeakMemory peak;
  for (Index step = 1; step <= settings.warmup_steps + settings.steps; ++step) {
    const TimePoint begin = now();
    const Training::Step done = training.step();
    const double seconds = seconds_since(begin);
    if (step <= settings.warmup_steps) continue;
    if (step == settings.warmup_steps + 1)
      peak = {peak_memory(), static_cast<double>(memory_statistics().peak_in_use)};
    const std::vector<Product> products = training.products(done.size);
    sums.seconds += seconds;
    sums.batching_seconds += done.batching_seconds;
    sums.floor_seconds += floor_seconds(products);
    sums.flops += floor_flops(products);
    sums.tokens += static_cast<double>(done.size.tokens());
    sums.loss = static_cast<double>(done.loss.item());
  }
  print(settings, training, sums, peak);
}

}  // namespace regard::bench
