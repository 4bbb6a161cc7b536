// The place of parallel.cpp, processors.cpp and spinning.cpp in a build without OpenMP: one thread does all.
#include <algorithm>

#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/processors.h"
#include "autograd/machine/profile.h"

namespace regard {

namespace {
constexpr const char* no_openmp = "built without OpenMP";
}

const Processors& processors() {
  static const Processors one{{0}, no_openmp};
  return one;
}

int threads() { return 1; }
const char* threads_origin() { return no_openmp; }

void set_threads(int count, const char* /*origin*/) {
  if (count < 1 || count > most_threads) fail("{} threads: give a number from 1 to {}", count, most_threads);
}

OneThread::OneThread() : threads_(0) {}
OneThread::~OneThread() = default;

namespace detail {

void run_blocks(Index count, Index grain, BlockFunction function, const void* context) {
  grain = std::max<Index>(grain, 1);
  const Index blocks = ceil_divide(count, grain);
  const auto run = [=](Index block) {
    function(context, block * grain, std::min(count, (block + 1) * grain), 0);
  };
  if (Profile* const profile = OnThread<Profile>::innermost(); profile != nullptr && profile->times_loops())
    return profile->time_loop(blocks, run);
  for (Index block = 0; block < blocks; ++block) run(block);
}

}  // namespace detail
}  // namespace regard
