#pragma once

#include <span>
#include <string>
#include <vector>

#include "autograd/machine/real.h"

namespace regard::translation {

/// What a process exchanges with the others that were started with it. Each has a number, its rank. All must
/// call the same functions in the same order. Throws Error if the network fails.
class Network {
 public:
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  virtual Index rank() const = 0;
  virtual Index count() const = 0;

  /// Returns the bytes of each process, in the order of the ranks.
  virtual std::vector<std::string> all_gather(const std::string& bytes) = 0;
  /// Replaces the numbers by those of the first process.
  virtual void broadcast(std::span<Real> numbers) = 0;

  /// Numbers that go to another process or come from it.
  struct Transfer {
    Index process;
    std::span<Real> numbers;
  };
  /// Sends and receives numbers, and returns when all have arrived. What one process sends to another
  /// arrives in the order of its list.
  virtual void exchange(std::span<const Transfer> sent, std::span<const Transfer> received) = 0;

  /// Ends all processes with exit code 1. Does not return.
  virtual void abort() = 0;
};

}  // namespace regard::translation
