// How micro-batches are divided among processes, and the order in which their values are added.
#include "apps/processes/gradient_exchange.h"
#include "tests/apps/processes/threads_as_processes.h"
#include "tests/apps/training/sums_of_micro_batches.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_index;
using regard::to_size;

TEST_CASE("every micro-batch belongs to one process, and each process has some", "[processes]") {
  for (Index micro_batches = 1; micro_batches <= 20; ++micro_batches)
    for (Index processes = 1; processes <= micro_batches; ++processes) {
      Index next = 0;
      for (Index rank = 0; rank < processes; ++rank) {
        const MicroBatchRange own = share_of(rank, processes, micro_batches);
        CHECK(own.first == next);
        CHECK(own.end > own.first);
        CHECK(own.end - own.first <= (micro_batches + processes - 1) / processes);
        next = own.end;
      }
      CHECK(next == micro_batches);
    }
}

TEST_CASE("a process adds its micro-batches as far as the tree allows", "[processes]") {
  const auto nodes = [](Index first, Index end, Index micro_batches) {
    std::vector<std::pair<Index, Index>> result;
    for (const MicroBatchRange& range : nodes_of({first, end}, micro_batches))
      result.emplace_back(range.first, range.end);
    return result;
  };
  using Pairs = std::vector<std::pair<Index, Index>>;
  CHECK(nodes(0, 8, 8) == Pairs{{0, 8}});
  CHECK(nodes(4, 8, 8) == Pairs{{4, 8}});
  CHECK(nodes(2, 5, 8) == Pairs{{2, 4}, {4, 5}});
  CHECK(nodes(1, 7, 8) == Pairs{{1, 2}, {2, 4}, {4, 6}, {6, 7}});
  CHECK(nodes(3, 7, 7) == Pairs{{3, 4}, {4, 7}});  // 6 has no sibling, so it joins 4-5
  CHECK(nodes(0, 5, 5) == Pairs{{0, 5}});
}

TEST_CASE("the sum of gradients has the same bits on any number of processes", "[processes]") {
  check_sums([](const Gradients& gradients) {
    std::vector<Sums> results;
    for (const Index count : {1, 2, 3, 4, 5, 8, 13}) {
      if (count > to_index(gradients.size())) break;
      std::vector<Sums> of_each(to_size(count));
      const auto errors = run_processes(count, [&](Processes& processes) {
        of_each[to_size(processes.rank())] = sums_of(processes, gradients);
      });
      for (const std::string& error : errors) CHECK(error.empty());
      results.insert(results.end(), of_each.begin(), of_each.end());
    }
    return results;
  });
}
