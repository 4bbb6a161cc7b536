#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/machine/real.h"

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

/// A process by itself.
Processes& one_process();

/// The place of this process among those that mpirun or another launcher has started, as far as the
/// environment tells.
struct Launched {
  Index rank = 0;
  Index count = 1;  ///< 0: the launcher tells only the rank
};

/// Reads the variables of Open MPI, of MPICH and its relatives, and of PMIx. Returns rank 0 of 1 if no
/// launcher has started this process.
Launched launched();

/// Connects to the other processes that the launcher has started. Returns null if it has started only this
/// one. Throws Error if the program was built without MPI, or with the MPI of another launcher.
std::unique_ptr<Processes> connect(const Launched& launched);

/// The name and version of the MPI library, for --version; a sentence if there is none.
std::string mpi_version();

// The module with MPI (mpi_processes.cpp) has these two functions. processes.cpp finds them by their names.
using ConnectFunction = Processes*();
using VersionFunction = void(std::string* text);
inline constexpr const char* connect_function = "regard_connect_mpi";
inline constexpr const char* version_function = "regard_mpi_version";

}  // namespace regard::translation
