#include <algorithm>

#include "apps/bench/profile.h"
#include "apps/bench/timing.h"
#include "apps/bench/train_bench.h"
#include "autograd/parallel.h"

namespace regard::bench {

namespace {

/// Returns the bytes per second of y += x: the best of five. The arrays have 256 MB each, too much for any
/// cache. Each number of x is read, and each number of y is read and written.
double memory_speed() {
  constexpr Index size = 256 * 1024 * 1024 / sizeof(Real), grain = 1 << 18;
  const Tensor x = Tensor::empty({size}), y = Tensor::empty({size});
  // Each thread first writes the memory that it uses later, so that the system places the memory near it.
  const auto for_each_block = [](const auto& body) { parallel_for(size, grain, body); };
  for_each_block([&](Index begin, Index end) {
    std::fill(x.data() + begin, x.data() + end, Real{1});
    std::fill(y.data() + begin, y.data() + end, Real{0});
  });
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const TimePoint start = now();
    for_each_block([&](Index begin, Index end) {
      const Real* const from = x.data();
      Real* const to = y.data();
      for (Index j = begin; j < end; ++j) to[j] += from[j];
    });
    best = std::max(best, 3.0 * size * sizeof(Real) / seconds_since(start));
  }
  return best;
}

}  // namespace

Ceilings measure_ceilings() { return {.flops = 1e9 * product_speed(), .bytes = memory_speed()}; }

}  // namespace regard::bench
