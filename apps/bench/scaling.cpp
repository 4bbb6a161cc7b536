#include "apps/bench/scaling.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "apps/translation/text/counted.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/processors.h"

namespace regard::bench {

namespace {

using Nanoseconds = Profile::Nanoseconds;

Nanoseconds sum(const std::vector<Nanoseconds>& blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), Nanoseconds{0});
}

/// The median time of many empty loops.
Nanoseconds measured_loop_cost(int count) {
  const int before = threads();
  set_threads(count);
  std::array<Nanoseconds, 101> costs{};
  for (Nanoseconds& cost : costs) {
    const auto begin = std::chrono::steady_clock::now();
    parallel_for(count, 1, [](Index, Index) {});
    cost = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  }
  set_threads(before);
  std::ranges::sort(costs);
  return costs[costs.size() / 2];
}

/// Names the largest part of what a perfect cut would not lose: work outside of loops, the loops themselves,
/// threads without a block, or a block that ends late.
std::string reason(const TimedOperation& operation, int threads, Nanoseconds cost) {
  Nanoseconds few = 0, late = 0, costs = 0;
  std::size_t blocks = 0;
  for (const std::vector<Nanoseconds>& loop : operation.loops) {
    const Nanoseconds lost = scheduled(loop, threads) - sum(loop) / threads;
    (std::cmp_less(loop.size(), threads) ? few : late) += lost;
    if (loop.size() > 1) costs += cost;
    blocks += loop.size();
  }
  const Nanoseconds serial = operation.serial - operation.serial / threads;
  const Nanoseconds most = std::max({serial, few, late, costs});
  const std::string loops = translation::counted(operation.loops.size(), "loop");
  if (most == 0) return "";
  if (most == serial) return "serial";
  if (most == costs) return loops + ", each of which wakes the threads";
  if (most == few) return fmt::format("too few blocks: {} in {}", blocks, loops);
  return "long blocks that end last";
}

constexpr std::size_t sixteen = 4;
static_assert(predicted_threads[sixteen] == 16);

}  // namespace

std::vector<TimedOperation> timed_operations(const Profile& profile) {
  std::vector<TimedOperation> operations;
  std::map<std::pair<std::string, Span::Kind>, std::size_t> places;
  std::vector<std::size_t> operation_of_event;
  TimedOperation outside{"outside of these", profile.duration()};
  for (const Profile::Event& event : profile.events()) {
    const auto [place, is_new] = places.try_emplace({event.name, event.kind}, operations.size());
    if (is_new)
      operations.push_back(
          {fmt::format("{}{}", event.name, event.kind == Span::Kind::backward ? " backward" : "")});
    operations[place->second].serial += event.self;
    operation_of_event.push_back(place->second);
    outside.serial -= event.self;
  }
  for (const Profile::Loop& loop : profile.loops()) {
    TimedOperation& operation = loop.event ? operations[operation_of_event[*loop.event]] : outside;
    operation.serial -= sum(loop.blocks);
    operation.loops.push_back(loop.blocks);
  }
  operations.push_back(std::move(outside));
  return operations;
}

std::vector<Nanoseconds> loop_costs() {
  std::vector<Nanoseconds> costs;
  for (const int count : predicted_threads) {
    const Nanoseconds at_least = 5000 + 500 * count;
    costs.push_back(count <= processors().count() ? std::max(at_least, measured_loop_cost(count)) : at_least);
  }
  return costs;
}

Nanoseconds scheduled(const std::vector<Nanoseconds>& blocks, int threads) {
  std::priority_queue<Nanoseconds, std::vector<Nanoseconds>, std::greater<>> free;
  for (int i = 0; i < threads; ++i) free.push(0);
  Nanoseconds last = 0;
  for (const Nanoseconds block : blocks) {
    const Nanoseconds end = free.top() + block;
    free.pop();
    free.push(end);
    last = std::max(last, end);
  }
  return last;
}

Nanoseconds predicted(const TimedOperation& operation, std::size_t i, const std::vector<Nanoseconds>& costs) {
  Nanoseconds total = operation.serial;
  for (const std::vector<Nanoseconds>& loop : operation.loops) {
    total += scheduled(loop, predicted_threads[i]);
    if (predicted_threads[i] > 1 && loop.size() > 1) total += costs[i];
  }
  return total;
}

std::string scaling_tables(const std::vector<TimedOperation>& operations,
                           const std::vector<Nanoseconds>& costs, Index runs, const std::string& run_name) {
  const auto ms = [runs](Nanoseconds time) {
    return 1e-6 * static_cast<double>(time) / static_cast<double>(runs);
  };
  const auto total = [&](std::size_t i) {
    Nanoseconds time = 0;
    for (const TimedOperation& operation : operations) time += predicted(operation, i, costs);
    return ms(time);
  };
  std::string text =
      "Predicted from the blocks of a run on one thread. A loop costs at least 5 microseconds, and 0.5 for\n"
      "each thread. The bandwidth of the memory is not in the prediction.\n\n";
  text +=
      fmt::format("{:>7} {:>15} {:>9} {:>12}\n", "threads", "ms per " + run_name, "speedup", "efficiency");
  for (std::size_t i = 0; i < std::size(predicted_threads); ++i) {
    const double speedup = total(0) / total(i);
    text += fmt::format("{:>7} {:>15.2f} {:>9.2f} {:>10.0f} %\n", predicted_threads[i], total(i), speedup,
                        100 * speedup / predicted_threads[i]);
  }
  std::vector<std::pair<Nanoseconds, const TimedOperation*>> losses;
  for (const TimedOperation& operation : operations)
    losses.emplace_back(predicted(operation, sixteen, costs) - predicted(operation, 0, costs) / 16,
                        &operation);
  std::ranges::stable_sort(losses, std::greater<>(), &std::pair<Nanoseconds, const TimedOperation*>::first);
  losses.resize(std::min<std::size_t>(losses.size(), 10));
  text += fmt::format("\nOn 16 threads these lose most:\n{:<30} {:>9} {:>9} {:>9}  {}\n", "operation",
                      "ms on 1", "ms on 16", "ms lost", "mostly because of");
  for (const auto& [lost, operation] : losses)
    text += fmt::format("{:<30} {:>9.2f} {:>9.2f} {:>9.2f}  {}\n", operation->name,
                        ms(predicted(*operation, 0, costs)), ms(predicted(*operation, sixteen, costs)),
                        ms(lost), reason(*operation, 16, costs[sixteen]));
  return text;
}

}  // namespace regard::bench
