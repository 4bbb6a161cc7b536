// What parallel loops and products do with OpenMP's threads.
#include <atomic>
#include <mutex>
#include <omp.h>
#include <set>
#include <thread>
#include <vector>

#include "autograd/machine/blas.h"
#include "autograd/machine/parallel.h"
#include "tests/catch.h"
#include "tests/tensors.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("the largest number of threads can be set") {
  const Threads most(1024);
  CHECK(threads() == 1024);
}

TEST_CASE("a loop within a loop runs on the thread that calls it, in order") {
  const Threads limit(4);
  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(2);  // so that OpenMP would let the inner loop have threads of its own
  std::atomic<int> elsewhere = 0, disorder = 0, visits = 0;
  parallel_for(16, 1, [&](Index, Index) {
    const auto self = std::this_thread::get_id();
    Index next = 0;
    parallel_for(10, 3, [&](Index begin, Index end, int worker) {
      elsewhere += std::this_thread::get_id() != self || worker != 0;
      disorder += begin != next;
      next = end;
      visits += static_cast<int>(end - begin);
    });
  });
  omp_set_max_active_levels(levels);
  CHECK(elsewhere == 0);
  CHECK(disorder == 0);
  CHECK(visits == 160);
}

TEST_CASE("many threads share the work") {
  const Threads limit(4);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> arrived = 0;
  // Each block waits for three others (or gives up), so one thread alone cannot have run them all.
  parallel_for(4, 1, [&](Index, Index) {
    {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    ++arrived;
    for (int i = 0; i < 1'000'000 && arrived < 4; ++i) std::this_thread::yield();
  });
  CHECK(seen.size() == 4);
}

TEST_CASE("products leave the program's OpenMP settings alone") {
  const int before = omp_get_max_threads();
  for (const int count : {1, 3}) {
    omp_set_num_threads(count);
    const std::vector<double> a(200 * 200, 1), b(200 * 200, 2);
    std::vector<double> c(200 * 200);
    blas::gemm<double>(blas::Transposed::none, 200, 200, 200, {a.data(), 200}, {b.data(), 200},
                       {c.data(), 200}, blas::Store::overwrite);
    CHECK(c[777] == 400);
    CHECK(omp_get_max_threads() == count);
  }
  omp_set_num_threads(before);
}
