#pragma once

#include <cstddef>
#include <memory>

namespace regard {

/// A block of memory, 64-byte aligned, shared by its handles; the last one gives it back to the pool.
using Buffer = std::shared_ptr<void>;

/// Takes `bytes` bytes from the pool. They still hold what their last user wrote.
/// Throws OutOfMemory when the system has no more memory.
Buffer allocate(std::size_t bytes);

/// How many bytes the pool holds, and how often it had to ask the system for more.
struct MemoryStatistics {
  std::size_t in_use = 0;
  std::size_t peak_in_use = 0;
  std::size_t reserved = 0;
  std::size_t system_requests = 0;
};
MemoryStatistics memory_statistics();

}  // namespace regard
