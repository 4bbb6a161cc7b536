#pragma once

#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "apps/processes/several_processes.h"
#include "autograd/machine/error.h"

namespace regard::tests {

/// What the threads that stand for processes share.
struct Meeting {
  explicit Meeting(Index processes)
      : count(processes), barrier(processes), gathered(to_size(processes)), sent(to_size(processes)) {}

  Index count;
  std::barrier<> barrier;
  std::vector<std::string> gathered;
  std::span<Real> broadcast;                                          ///< of the first process
  std::vector<std::span<const translation::Network::Transfer>> sent;  ///< by each process
};

/// A thread as a process, so that tests need no MPI.
class ThreadAsProcess : public translation::Network {
 public:
  ThreadAsProcess(Meeting& meeting, Index rank) : meeting_(meeting), rank_(rank) {}

  Index rank() const override { return rank_; }
  Index count() const override { return meeting_.count; }
  std::vector<std::string> all_gather(const std::string& bytes) override {
    meeting_.gathered[to_size(rank_)] = bytes;
    meeting_.barrier.arrive_and_wait();
    std::vector<std::string> result = meeting_.gathered;
    meeting_.barrier.arrive_and_wait();
    return result;
  }
  void broadcast(std::span<Real> numbers) override {
    if (rank_ == 0) meeting_.broadcast = numbers;
    meeting_.barrier.arrive_and_wait();
    if (rank_ != 0) std::copy(meeting_.broadcast.begin(), meeting_.broadcast.end(), numbers.begin());
    meeting_.barrier.arrive_and_wait();
  }
  void exchange(std::span<const Transfer> sent, std::span<const Transfer> received) override {
    meeting_.sent[to_size(rank_)] = sent;
    meeting_.barrier.arrive_and_wait();
    std::vector<std::size_t> next(to_size(count()), 0);  // of the transfers that each process has sent
    for (const Transfer& wanted : received) {
      const auto& from = meeting_.sent[to_size(wanted.process)];
      std::size_t& place = next[to_size(wanted.process)];
      while (from[place].process != rank_) ++place;
      const std::span<const Real> numbers = from[place++].numbers;
      if (numbers.size() != wanted.numbers.size()) fail("a message has another size than expected");
      std::copy(numbers.begin(), numbers.end(), wanted.numbers.begin());
    }
    meeting_.barrier.arrive_and_wait();
  }
  void abort() override { std::abort(); }

 private:
  Meeting& meeting_;
  Index rank_;
};

/// Calls work(processes) in this number of threads. Returns the error message of each; empty: none. If one
/// fails, all must fail, or the others wait for it.
inline std::vector<std::string> run_processes(
    Index count, const std::function<void(translation::SeveralProcesses& processes)>& work) {
  Meeting meeting(count);
  std::vector<std::string> errors(to_size(count));
  std::vector<std::jthread> threads;
  for (Index rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      ThreadAsProcess network(meeting, rank);
      translation::SeveralProcesses processes(network);
      try {
        work(processes);
      } catch (const Error& error) {
        errors[to_size(rank)] = error.what();
      }
    });
  threads.clear();  // waits
  return errors;
}

}  // namespace regard::tests
