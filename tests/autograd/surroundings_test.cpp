// What surrounds a thread, and what of it the workers of a parallel loop inherit.
#include "autograd/machine/surroundings.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "autograd/graph.h"
#include "autograd/machine/parallel.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

struct Read {
  int number;
  const OnThreadAndWorkers<Read> scope{this};
};
struct Written {
  int number;
  const OnThread<Written> scope{this};
};

const Read* read() { return OnThreadAndWorkers<Read>::innermost(); }
Written* written() { return OnThread<Written>::innermost(); }

/// Calls `on_caller` on this thread and `on_worker` on another one of the same parallel loop.
template <class OnCaller, class OnWorker>
void on_two_threads(const OnCaller& on_caller, const OnWorker& on_worker) {
  const Threads two(2);
  if (threads() == 1) {
    WARN("not tried: built without OpenMP, so a loop has no workers");
    return;
  }
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> begun = 0, on_others = 0;
  parallel_for(2, 1, [&](Index, Index) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (++begun; begun < 2 && std::chrono::steady_clock::now() < deadline;) std::this_thread::yield();
    if (std::this_thread::get_id() == caller) return on_caller();
    ++on_others;
    on_worker();
  });
  REQUIRE(on_others == 1);
}

}  // namespace

TEST_CASE("the innermost object surrounds a thread until it ends") {
  CHECK((read() == nullptr && written() == nullptr && !bound_to_thread()));
  const Read outer{1};
  {
    const Read inner{2};
    CHECK(read() == &inner);
    CHECK_FALSE(bound_to_thread());  // workers inherit it
    Written own{3};
    CHECK(written() == &own);
    CHECK(bound_to_thread());
    const OnThread<Written> none(nullptr);
    CHECK(written() == nullptr);
    CHECK(bound_to_thread());
  }
  CHECK((read() == &outer && written() == nullptr && !bound_to_thread()));
}

TEST_CASE("objects that workers inherit may end in any order") {
  std::unique_ptr<Read> first(new Read{1}), second(new Read{2});  // clang 14 has no make_unique for it
  first.reset();
  CHECK(read() == second.get());
  second.reset();
  CHECK(read() == nullptr);
}

TEST_CASE("workers are in the surroundings that they inherit, and in no others") {
  Written own{1};
  const Read read_by_all{2};
  const NoGrad no_grad;
  std::atomic<bool> right = true;
  const auto expect = [&](bool is) { right = right && is; };
  on_two_threads(
      [&] { expect(written() == &own && read() == &read_by_all && !grad_enabled()); },
      [&] {
        expect(written() == nullptr && !bound_to_thread());  // control: an object that is not inherited
        expect(read() == &read_by_all && !grad_enabled());
        const Read inner{3};  // until the end of this block, on this thread
        expect(read() == &inner);
      });
  CHECK(right);
  CHECK(read() == &read_by_all);

  // A thread that is no worker is in none, unless it inherits.
  const auto sees = [&] { return read() == &read_by_all && !grad_enabled(); };
  bool alone = true, inheriting = false, afterwards = true;
  std::thread([&, inherited = surroundings()] {
    alone = sees();
    {
      const Worker worker(inherited);
      inheriting = sees();
    }
    afterwards = sees();
  }).join();
  CHECK((!alone && inheriting && !afterwards));
}
