#include "autograd/parallel.h"

#include <algorithm>
#include <atomic>
#include <omp.h>

#include "autograd/error.h"

namespace regard {

namespace {
constexpr int most_threads = 1024;
// 0: not set yet, ask OpenMP.
std::atomic<int> thread_count{0};
}  // namespace

int threads() {
  const int count = thread_count.load(std::memory_order_relaxed);
  return count > 0 ? count : std::min(omp_get_max_threads(), most_threads);
}

void set_threads(int count) {
  if (count < 1 || count > most_threads) fail("{} threads: give a number from 1 to {}", count, most_threads);
  thread_count = count;
}

namespace detail {

void run_blocks(Index count, Index grain, BlockFunction function, const void* context) noexcept {
  grain = std::max<Index>(grain, 1);
  const Index blocks = (count + grain - 1) / grain;
  const int team = static_cast<int>(std::min<Index>(threads(), blocks));
  const auto run = [=](Index block, int worker) {
    function(context, block * grain, std::min(count, (block + 1) * grain), worker);
  };
  if (team <= 1 || omp_in_parallel()) {
    for (Index block = 0; block < blocks; ++block) run(block, 0);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
  for (Index block = 0; block < blocks; ++block) run(block, omp_get_thread_num());
}

}  // namespace detail
}  // namespace regard
