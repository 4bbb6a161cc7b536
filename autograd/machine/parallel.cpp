#include "autograd/machine/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <omp.h>
#include <string_view>

#include "autograd/machine/error.h"
#include "autograd/machine/processors.h"
#include "autograd/machine/profile.h"
#include "autograd/machine/surroundings.h"

namespace regard {

Simd processor_simd() {
#if defined(__x86_64__)
  // The features of x86-64-v4 and x86-64-v3 that decide (System V ABI, table 3.1).
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return Simd::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return Simd::avx2;
#endif
  return Simd::baseline;
}

const char* to_string(Simd simd) {
  return simd == Simd::avx512 ? "avx512" : simd == Simd::avx2 ? "avx2" : "baseline";
}

namespace {
Simd choose() {
  const Simd best = processor_simd();
  const char* const wish = std::getenv("REGARD_SIMD");
  if (wish == nullptr) return best;
  for (const Simd candidate : {Simd::baseline, Simd::avx2, Simd::avx512}) {
    if (std::string_view(wish) != to_string(candidate)) continue;
    if (candidate > best)
      fail("REGARD_SIMD={}: this processor has no more than {}; unset the variable", wish, to_string(best));
    return candidate;
  }
  fail("REGARD_SIMD={}: give baseline, avx2 or avx512, or unset the variable", wish);
}
}  // namespace

Simd simd() {
  static const Simd chosen = choose();
  return chosen;
}

namespace {
constexpr int most_threads = 1024;
// 0: not set, the default holds.
std::atomic<int> thread_count{0};
std::atomic<const char*> thread_origin{nullptr};

struct Default {
  int count;
  const char* origin;
};

const Default& default_threads() {
  static const Default result = [] {
    for (const char* const variable : {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT"})
      if (std::getenv(variable) != nullptr)
        return Default{std::min(omp_get_max_threads(), most_threads), variable};
    return Default{std::min(processors().count(), most_threads), processors().limit};
  }();
  return result;
}
}  // namespace

int threads() {
  const int count = thread_count.load(std::memory_order_relaxed);
  return count > 0 ? count : default_threads().count;
}

const char* threads_origin() {
  const char* const origin = thread_origin.load(std::memory_order_relaxed);
  return origin != nullptr ? origin : default_threads().origin;
}

void set_threads(int count, const char* origin) {
  if (count < 1 || count > most_threads) fail("{} threads: give a number from 1 to {}", count, most_threads);
  thread_count = count;
  thread_origin = origin;
}

namespace detail {

void run_blocks(Index count, Index grain, BlockFunction function, const void* context) {
  grain = std::max<Index>(grain, 1);
  const Index blocks = (count + grain - 1) / grain;
  const auto run = [=](Index block, int worker) {
    function(context, block * grain, std::min(count, (block + 1) * grain), worker);
  };
  if (Profile* const profile = OnThread<Profile>::innermost(); profile != nullptr && profile->times_loops())
    return profile->time_loop(blocks, [&](Index block) { run(block, 0); });
  const int team = threads();
  if (team == 1 || blocks <= 1 || omp_in_parallel()) {
    for (Index block = 0; block < blocks; ++block) run(block, 0);
    return;
  }
  const Surroundings inherited = surroundings();
  // The team always has the same size. GCC's OpenMP ends the threads that a smaller team leaves over, and
  // makes new ones for a larger team. An exception that leaves a parallel region would end the program.
  std::exception_ptr exception;
  std::atomic<Index> failed = blocks;
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
  for (Index block = 0; block < blocks; ++block) {
    try {
      const Worker inside(inherited);
      if (block < failed) run(block, omp_get_thread_num());
    } catch (...) {
#pragma omp critical
      if (block < failed) {
        failed = block;
        exception = std::current_exception();
      }
    }
  }
  if (exception) std::rethrow_exception(exception);
}

}  // namespace detail
}  // namespace regard
