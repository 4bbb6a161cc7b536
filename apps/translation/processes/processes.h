#pragma once

#include <span>
#include <string>
#include <vector>

#include "autograd/real.h"

namespace regard::translation {

/// The processes that work together on one training or one translation. Each has a number, its rank. All
/// processes must call the same functions in the same order. Throws Error if the network fails.
class Processes {
 public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  virtual ~Processes() = default;

  virtual Index rank() const = 0;
  virtual Index count() const = 0;
  /// True in the process that writes and prints.
  bool first() const { return rank() == 0; }
  bool alone() const { return count() == 1; }

  /// Returns the bytes of each process, in the order of the ranks.
  virtual std::vector<std::string> all_gather(const std::string& bytes) = 0;
  /// Replaces the numbers by those of the first process.
  virtual void broadcast(std::span<Real> numbers) = 0;
  /// Replaces the numbers by their sums over all processes. The order of the additions is up to the library,
  /// so it may differ with the number of processes. Only a benchmark uses it.
  virtual void sum_in_any_order(std::span<Real> numbers) = 0;

  /// Begin to receive from or send to a process. The numbers must stay where they are until the exchange is
  /// done. An exchange is all that is posted under one number, from 0 to 32,767; the processes use equal
  /// numbers. What one process sends to another in one exchange arrives in the order of the calls.
  virtual void post_receive(Index exchange, Index from, std::span<Real> numbers) = 0;
  virtual void post_send(Index exchange, Index to, std::span<const Real> numbers) = 0;
  /// Returns true if everything that this process has posted in the exchange has arrived and been sent.
  virtual bool done(Index exchange) = 0;
  /// Waits until done(exchange).
  virtual void wait(Index exchange) = 0;

  /// Ends all processes with exit code 1. Does not return.
  virtual void abort() = 0;
};

/// A process by itself.
Processes& one_process();

/// Returns the bytes that the first process gives.
std::string of_first(Processes& processes, const std::string& bytes);

/// Returns true if the answer of at least one process is true.
bool any(Processes& processes, bool answer);

}  // namespace regard::translation
