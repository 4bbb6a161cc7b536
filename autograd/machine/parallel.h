#pragma once

#include <type_traits>

#include "autograd/machine/real.h"
#include "autograd/machine/simd.h"

// How a program uses its processor: threads.

namespace regard {

/// Number of threads that parallel loops use. By default the number of physical cores that the process may
/// use (autograd/machine/processors.h); if OMP_NUM_THREADS or OMP_THREAD_LIMIT is set, OpenMP's number.
/// Without OpenMP (serial.cpp) always 1.
int threads();

/// Tells who has decided the number of threads: "physical cores", "OMP_NUM_THREADS", "built without OpenMP",
/// or the `origin` given to set_threads.
const char* threads_origin();

constexpr int most_threads = 1024;

/// Sets the number of threads. `origin` is a literal. Throws Error unless 1 <= count <= most_threads. Without
/// OpenMP it changes nothing: the results are the same on any number of threads.
void set_threads(int count, const char* origin = "set_threads");

/// While it exists, a library that uses OpenMP itself (OpenBLAS, oneDNN) computes on the calling thread
/// alone, as it does inside a parallel loop. So it cuts its work in the same way everywhere, and ours are the
/// only threads. It changes a setting of the calling thread and costs a few nanoseconds.
class OneThread {
 public:
  OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
  ~OneThread();

 private:
  [[maybe_unused]] int threads_;  ///< OpenMP's number before; 0: there is nothing to restore
};

namespace detail {
using BlockFunction = void (*)(const void* context, Index begin, Index end, int worker);
void run_blocks(Index count, Index grain, BlockFunction function, const void* context);
}  // namespace detail

/// Calls body(begin, end) on consecutive blocks of `grain` indices that cover [0, count), on all threads.
/// The cut depends on count and grain alone, never on the number of threads, so a body whose result
/// depends on its block gives the same bits on any number. One block, or a call from inside a parallel
/// loop, runs on the calling thread. If bodies throw, the loop throws the exception of the first such block;
/// blocks behind it may not have run. Workers compute in the surroundings that they inherit from the calling
/// thread (autograd/machine/surroundings.h).
/// A body that needs scratch memory takes a third argument, worker: two calls that run at the same time get
/// different numbers in [0, threads()).
template <class Body>
void parallel_for(Index count, Index grain, const Body& body) {
  simd();  // refuses a bad REGARD_SIMD here, not in the first kernel that runs inside a loop
  detail::run_blocks(
      count, grain,
      [](const void* context, Index begin, Index end, [[maybe_unused]] int worker) {
        if constexpr (std::is_invocable_v<const Body&, Index, Index, int>)
          (*static_cast<const Body*>(context))(begin, end, worker);
        else
          (*static_cast<const Body*>(context))(begin, end);
      },
      &body);
}

}  // namespace regard
