#include "apps/bench/scaling.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <omp.h>
#include <queue>
#include <utility>

#include "autograd/parallel.h"

namespace regard::bench {

namespace {

using Nanoseconds = Profile::Nanoseconds;

Nanoseconds sum(const std::vector<Nanoseconds>& blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), Nanoseconds{0});
}

/// The time of blocks that are dealt out in order, each to the first free thread.
Nanoseconds scheduled(const std::vector<Nanoseconds>& blocks, int threads) {
  if (threads == 1) return sum(blocks);
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

std::vector<Nanoseconds> loop_costs_of_this_machine() {
  std::vector<Nanoseconds> costs;
  for (const int count : predicted_threads) {
    const Nanoseconds at_least = 5000 + 500 * count;
    costs.push_back(count <= omp_get_num_procs() ? std::max(at_least, measured_loop_cost(count)) : at_least);
  }
  return costs;
}

constexpr std::size_t sixteen = 4;
static_assert(predicted_threads[sixteen] == 16);

}  // namespace

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

Scaling::Scaling(const Profile& profile) : Scaling(profile, loop_costs_of_this_machine()) {}

Scaling::Scaling(const Profile& profile, std::vector<Nanoseconds> loop_costs)
    : loop_costs_(std::move(loop_costs)) {
  std::map<std::pair<std::string, Span::Kind>, std::size_t> places;
  std::vector<std::size_t> operation_of_event;
  Nanoseconds outside = profile.duration();
  for (const Profile::Event& event : profile.events()) {
    const auto [place, is_new] = places.try_emplace({event.name, event.kind}, operations_.size());
    if (is_new)
      operations_.push_back(
          {fmt::format("{}{}", event.name, event.kind == Span::Kind::backward ? " backward" : ""), 0, {}});
    operations_[place->second].serial += event.self;
    operation_of_event.push_back(place->second);
    outside -= event.self;
  }
  operations_.push_back({"outside of these", outside, {}});
  for (const Profile::Loop& loop : profile.loops()) {
    Operation& operation =
        profile.events().empty() ? operations_.back() : operations_[operation_of_event[loop.event]];
    operation.serial -= sum(loop.blocks);
    operation.loops.push_back(&loop);
  }
}

Nanoseconds Scaling::time(const Operation& operation, std::size_t i) const {
  Nanoseconds total = operation.serial;
  for (const Profile::Loop* const loop : operation.loops) {
    total += scheduled(loop->blocks, predicted_threads[i]);
    if (predicted_threads[i] > 1 && loop->blocks.size() > 1) total += loop_costs_[i];
  }
  return total;
}

Nanoseconds Scaling::total(std::size_t i) const {
  Nanoseconds total = 0;
  for (const Operation& operation : operations_) total += time(operation, i);
  return total;
}

/// What of the time beyond a perfect cut comes from serial work, from loops themselves, from fewer blocks
/// than threads, and from blocks that end late: the largest of them.
std::string Scaling::reason(const Operation& operation, std::size_t i) const {
  const int threads = predicted_threads[i];
  Nanoseconds few = 0, late = 0, costs = 0;
  std::size_t blocks = 0, loops = 0;
  for (const Profile::Loop* const loop : operation.loops) {
    const Nanoseconds lost = scheduled(loop->blocks, threads) - sum(loop->blocks) / threads;
    (std::cmp_less(loop->blocks.size(), threads) ? few : late) += lost;
    if (loop->blocks.size() > 1) costs += loop_costs_[i];
    blocks += loop->blocks.size();
    ++loops;
  }
  const Nanoseconds serial = operation.serial - operation.serial / threads;
  const Nanoseconds most = std::max({serial, few, late, costs});
  if (most == serial) return "serial";
  if (most == costs) return fmt::format("{} loops, each of which wakes the threads", loops);
  if (most == few) return fmt::format("too few blocks ({} in {} loops)", blocks, loops);
  return "long blocks that end last";
}

std::string Scaling::tables(Index runs, const std::string& run_name) const {
  const double one = static_cast<double>(total(0));
  std::string text =
      fmt::format("{:>7} {:>12} {:>9} {:>11}\n", "threads", "ms per " + run_name, "speedup", "efficiency");
  for (std::size_t i = 0; i < std::size(predicted_threads); ++i) {
    const double time = static_cast<double>(total(i));
    text += fmt::format("{:>7} {:>12.2f} {:>9.2f} {:>9.0f} %\n", predicted_threads[i],
                        1e-6 * time / static_cast<double>(runs), one / time,
                        100 * one / time / predicted_threads[i]);
  }
  std::vector<std::pair<Nanoseconds, const Operation*>> losses;
  for (const Operation& operation : operations_)
    losses.emplace_back(time(operation, sixteen) - time(operation, 0) / predicted_threads[sixteen],
                        &operation);
  std::ranges::stable_sort(losses, std::greater<>(), &std::pair<Nanoseconds, const Operation*>::first);
  losses.resize(std::min<std::size_t>(losses.size(), 10));
  text += fmt::format("\nOn 16 threads these lose most:\n{:<32} {:>8} {:>8} {:>8}  {}\n", "operation",
                      "ms on 1", "ms on 16", "lost", "mostly because of");
  for (const auto& [lost, operation] : losses) {
    const auto ms = [&](Nanoseconds time) {
      return 1e-6 * static_cast<double>(time) / static_cast<double>(runs);
    };
    text += fmt::format("{:<32} {:>8.2f} {:>8.2f} {:>8.2f}  {}\n", operation->name, ms(time(*operation, 0)),
                        ms(time(*operation, sixteen)), ms(lost), reason(*operation, sixteen));
  }
  return text;
}

}  // namespace regard::bench
