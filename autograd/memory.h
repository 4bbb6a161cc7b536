#pragma once

#include <cstddef>
#include <memory>

namespace regard {

/// A block of memory, 64-byte aligned, shared by its handles; the last one gives it back to the pool.
using Buffer = std::shared_ptr<void>;

/// Takes `bytes` bytes from the pool. Their contents are whatever the last user left.
/// Throws OutOfMemory when the system has no more memory.
Buffer allocate(std::size_t bytes);

/// What the pool holds, in bytes, and how often it had to ask the system.
struct MemoryStatistics {
  std::size_t in_use = 0;
  std::size_t peak_in_use = 0;
  std::size_t reserved = 0;
  std::size_t system_requests = 0;
};
MemoryStatistics memory_statistics();

}  // namespace regard
