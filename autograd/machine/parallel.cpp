#include "autograd/machine/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <omp.h>

#include "autograd/machine/error.h"
#include "autograd/machine/processors.h"
#include "autograd/machine/profile.h"
#include "autograd/machine/surroundings.h"

namespace regard {

namespace {
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

OneThread::OneThread() : threads_(omp_in_parallel() ? 0 : omp_get_max_threads()) {
  if (threads_ > 0) omp_set_num_threads(1);
}

OneThread::~OneThread() {
  if (threads_ > 0) omp_set_num_threads(threads_);
}

namespace detail {

void run_blocks(Index count, Index grain, BlockFunction function, const void* context) {
  grain = std::max<Index>(grain, 1);
  const Index blocks = ceil_divide(count, grain);
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
