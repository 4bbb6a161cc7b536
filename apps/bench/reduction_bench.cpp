#include "apps/bench/reduction_bench.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <vector>

#include "apps/translation/processes/gradient_sum.h"
#include "autograd/error.h"

namespace regard::bench {

namespace {

struct Times {
  double median, least;
};

/// Returns the milliseconds that `work` takes. `prepare` is not measured.
Times measure(Index runs, translation::Processes& processes, const std::function<void()>& prepare,
              const std::function<void()>& work) {
  std::vector<double> times;
  for (Index run = 0; run < runs; ++run) {
    prepare();
    processes.all_gather("");  // all begin together
    const auto begin = std::chrono::steady_clock::now();
    work();
    processes.all_gather("");  // the slowest counts
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::sort(times);
  return {times[times.size() / 2], times.front()};
}

}  // namespace

void run(const ReductionBench& settings, translation::Processes& processes) {
  const Index shards = settings.shards.value_or(processes.count());
  if (settings.numbers < 1 || settings.runs < 1) fail("--numbers and --runs must be at least 1");
  if (shards < processes.count())
    fail("--shards is {}, but there are {} processes; give at least {}", shards, processes.count(),
         processes.count());
  const Tensor gradient = Tensor::full({settings.numbers}, 1);
  std::unique_ptr<translation::GradientSum> sum;
  const Times tree = measure(
      settings.runs, processes,
      [&] {
        sum = std::make_unique<translation::GradientSum>(gradient, shards, processes);
        for (Index shard = sum->own().first; shard < sum->own().end; ++shard) {
          std::ranges::fill(gradient.values(), Real{1});
          sum->add_shard(0);
        }
      },
      [&] { sum->finish(); });
  if (gradient.values().back() != static_cast<Real>(shards)) fail("the sum of the gradients is wrong");
  const Times nothing = measure(
      settings.runs, processes, [] {}, [] {});
  const auto count = static_cast<double>(processes.count());
  const double bytes = 2 * static_cast<double>(settings.numbers) * sizeof(Real) * (count - 1) / count;
  fmt::print("{} processes, {} numbers, {:.1f} MB sent and received by each\n", processes.count(),
             settings.numbers, bytes / 1e6);
  fmt::print("                          median ms   least ms\n");
  const auto print = [&](const char* name, const Times& times) {
    fmt::print("{:<25} {:9.3f} {:10.3f}\n", name, times.median - nothing.median, times.least - nothing.least);
  };
  print("in the order of the tree", tree);
}

}  // namespace regard::bench
