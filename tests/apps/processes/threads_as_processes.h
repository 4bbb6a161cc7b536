#pragma once

#include <barrier>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/translation/processes/processes.h"
#include "autograd/error.h"

namespace regard::tests {

/// What the threads that stand for processes share.
struct Network {
  explicit Network(Index processes) : count(processes), barrier(processes), gathered(to_size(processes)) {}

  Index count;
  std::barrier<> barrier;
  std::vector<std::string> gathered;
  std::span<Real> broadcast;  ///< of the first process
  std::mutex mutex;
  std::condition_variable arrived;
  std::map<std::tuple<Index, Index, Index>, std::deque<std::span<const Real>>>
      mail;  ///< by exchange, sender and receiver
};

/// A thread as a process, so that tests need no MPI.
class ThreadAsProcess : public translation::Processes {
 public:
  ThreadAsProcess(Network& network, Index rank) : network_(network), rank_(rank) {}

  Index rank() const override { return rank_; }
  Index count() const override { return network_.count; }
  std::vector<std::string> all_gather(const std::string& bytes) override {
    network_.gathered[to_size(rank_)] = bytes;
    network_.barrier.arrive_and_wait();
    std::vector<std::string> result = network_.gathered;
    network_.barrier.arrive_and_wait();
    return result;
  }
  void broadcast(std::span<Real> numbers) override {
    if (rank_ == 0) network_.broadcast = numbers;
    network_.barrier.arrive_and_wait();
    if (rank_ != 0) std::copy(network_.broadcast.begin(), network_.broadcast.end(), numbers.begin());
    network_.barrier.arrive_and_wait();
  }
  void sum_in_any_order(std::span<Real>) override {}
  void post_receive(Index exchange, Index from, std::span<Real> numbers) override {
    wanted_[exchange].emplace_back(from, numbers);
  }
  void post_send(Index exchange, Index to, std::span<const Real> numbers) override {
    const std::lock_guard lock(network_.mutex);
    network_.mail[{exchange, rank_, to}].push_back(numbers);  // the receiver reads them at an uncertain time
    network_.arrived.notify_all();
  }
  bool done(Index exchange) override {
    const std::lock_guard lock(network_.mutex);
    return take_mail(exchange) && all_sent(exchange);
  }
  void wait(Index exchange) override {
    std::unique_lock lock(network_.mutex);
    network_.arrived.wait(lock, [&] { return take_mail(exchange) && all_sent(exchange); });
  }
  void abort() override { std::abort(); }

 private:
  /// Takes what has arrived. Returns true if nothing more is wanted.
  bool take_mail(Index exchange) {
    auto& wanted = wanted_[exchange];
    while (!wanted.empty()) {
      const auto& [from, numbers] = wanted.front();
      auto& box = network_.mail[{exchange, from, rank_}];
      if (box.empty()) return false;
      if (box.front().size() != numbers.size()) fail("a message has another size than expected");
      std::copy(box.front().begin(), box.front().end(), numbers.begin());
      box.pop_front();
      wanted.pop_front();
      network_.arrived.notify_all();
    }
    return true;
  }
  bool all_sent(Index exchange) {
    for (Index to = 0; to < network_.count; ++to)
      if (!network_.mail[{exchange, rank_, to}].empty()) return false;
    return true;
  }

  Network& network_;
  Index rank_;
  std::map<Index, std::deque<std::pair<Index, std::span<Real>>>> wanted_;  ///< by exchange
};

/// Calls work(processes) in this number of threads. Returns the error message of each; empty: none. If one
/// fails, all must fail, or the others wait for it.
inline std::vector<std::string> run_processes(
    Index count, const std::function<void(translation::Processes& processes)>& work) {
  Network network(count);
  std::vector<std::string> errors(to_size(count));
  std::vector<std::jthread> threads;
  for (Index rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      ThreadAsProcess process(network, rank);
      try {
        work(process);
      } catch (const Error& error) {
        errors[to_size(rank)] = error.what();
      }
    });
  threads.clear();  // waits
  return errors;
}

}  // namespace regard::tests
