// The prediction of times on more threads: the schedule of blocks, what loops cost, and the reasons.
#include "apps/bench/scaling.h"

#include <algorithm>
#include <numeric>

#include "autograd/autograd.h"
#include "tests/catch.h"
#include "tests/tensors.h"

using namespace regard;
using namespace regard::bench;
using namespace regard::tests;

namespace {

const std::vector<Profile::Nanoseconds> costs{0, 10, 20, 30, 40, 50, 60};

/// One nanosecond after another: each thread without a block takes the next one.
Profile::Nanoseconds simulated(const std::vector<Profile::Nanoseconds>& blocks, int threads) {
  std::vector<Profile::Nanoseconds> left(to_size(threads), 0);
  std::size_t next = 0;
  for (Profile::Nanoseconds time = 0;; ++time) {
    for (auto& rest : left)
      if (rest == 0 && next < blocks.size()) rest = blocks[next++];
    if (std::ranges::all_of(left, [](auto rest) { return rest == 0; })) return time;
    for (auto& rest : left) rest -= rest > 0;
  }
}

}  // namespace

TEST_CASE("the next block goes to the first free thread") {
  CHECK(scheduled({}, 4) == 0);
  CHECK(scheduled({5, 5, 5}, 2) == 10);
  CHECK(scheduled({1, 1, 8, 3}, 2) == 9);  // 1 + 8 beside 1 + 3
  CHECK(scheduled({2, 3, 4}, 64) == 4);
  std::vector<Profile::Nanoseconds> blocks;
  for (Index i = 0; i < 40; ++i) blocks.push_back(1 + i * 37 % 23);
  for (const int threads : {1, 2, 3, 5, 16, 64})
    CHECK(scheduled(blocks, threads) == simulated(blocks, threads));
}

TEST_CASE("a loop of several blocks costs, on more than one thread") {
  const TimedOperation operation{"some", 100, {{10, 10, 10, 10}, {7}}};
  CHECK(predicted(operation, 0, costs) == 147);
  CHECK(predicted(operation, 1, costs) == 100 + 20 + 10 + 7);
  CHECK(predicted(operation, 4, costs) == 100 + 10 + 40 + 7);
  const std::vector<Profile::Nanoseconds> machine = loop_costs();
  for (std::size_t i = 0; i < machine.size(); ++i) CHECK(machine[i] >= 5000 + 500 * predicted_threads[i]);
}

TEST_CASE("the tables of a prediction name speedups and reasons") {
  const std::vector<Profile::Nanoseconds> even(64, 1'000'000);
  std::vector<Profile::Nanoseconds> late = even;
  late.push_back(16'000'000);
  const std::string text =
      scaling_tables({{"serial_one", 40'000'000},
                      {"few_blocks", 0, {{32'000'000, 32'000'000}}},
                      {"late_block", 0, {late}},
                      {"many_loops", 0, std::vector<std::vector<Profile::Nanoseconds>>(100, {1, 1})},
                      {"good", 0, {even}}},
                     {0, 0, 0, 0, 1'000'000, 0, 0}, 2, "step");
  const auto line = [&](const std::string& begin) {
    const std::size_t at = text.find("\n" + begin) + 1;
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK_THAT(line("serial_one"), ContainsSubstring("20.00     20.00     18.75  serial"));
  CHECK_THAT(line("few_blocks"), ContainsSubstring("32.00     16.50     14.50  too few blocks: 2 in 1 loop"));
  CHECK_THAT(line("late_block"),
             ContainsSubstring("long blocks that end last"));  // 4 ms, and then 16 ms more
  CHECK_THAT(line("many_loops"), ContainsSubstring("100 loops, each of which wakes the threads"));
  // (40 + 64 + 80 + 64) / 2 ms on one thread; on two 40 + 32 + 48 + 32.
  CHECK_THAT(line("      1"), ContainsSubstring("124.00      1.00        100 %"));
  CHECK_THAT(line("      2"), ContainsSubstring("76.00      1.63         82 %"));
  CHECK_THAT(text, ContainsSubstring("bandwidth of the memory is not in the prediction"));
}

TEST_CASE("a profile that times loops runs them on one thread, to the same bits") {
  const std::vector<Tensor> leaf{normal({300, 64}, 1).set_requires_grad(),
                                 normal({200, 64}, 2).set_requires_grad()};
  const auto compute = [&] { return gradients(linear(leaf[0], leaf[1], {}), leaf); };
  const Threads many(4);
  const std::vector<Tensor> expected = compute();
  Profile profile(Profile::Loops::timed);
  CHECK(same_bits(compute(), expected));
  parallel_for(3, 1, [](Index, Index) {
    const Span inside("inside");
    parallel_for(5, 1, [](Index, Index) {});  // a part of the block
  });
  CHECK_THROWS(parallel_for(3, 1, [](Index, Index) { throw 1; }));
  parallel_for(2, 1, [](Index, Index) {});  // is timed, too
  profile.stop();
  REQUIRE(profile.loops().size() >= 5);
  CHECK(profile.loops().back().blocks.size() == 2);
  CHECK((profile.loops().end() - 2)->blocks.size() == 3);
  const std::vector<TimedOperation> operations = timed_operations(profile);
  Profile::Nanoseconds total = 0;
  for (const TimedOperation& operation : operations) {
    CHECK(operation.name != "inside");
    CHECK(operation.serial >= 0);
    total += predicted(operation, 0, costs);
  }
  CHECK(total == profile.duration());
}
