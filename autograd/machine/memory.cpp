// The pool: memory is taken from the system in large chunks and cut into blocks. A freed block is joined
// with its free neighbours, and a request takes the smallest free block that fits. After the first training
// step every request gets a block that the first step gave back: nothing is allocated from the system, and no
// page is touched for the first time. Chunks are kept until the program ends.
#include "autograd/machine/memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif
#if defined(__SANITIZE_ADDRESS__)
#define REGARD_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REGARD_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef REGARD_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) (static_cast<void>(address), static_cast<void>(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) (static_cast<void>(address), static_cast<void>(size))
#endif

#include "autograd/machine/error.h"
#include "autograd/machine/real.h"

namespace regard {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t page = std::size_t{2} << 20;          // large pages save most of the address look-ups
constexpr std::size_t small_chunk = std::size_t{32} << 20;  // a program that needs little reserves this much

/// How many bytes the system still has; the largest number if that is not known. Linux promises more memory
/// than it has, and kills a program that uses more than there is, so we ask first.
std::size_t available_memory() {
  std::ifstream file("/proc/meminfo");  // lines "MemAvailable:   12345 kB"
  std::size_t kilobytes = 0, found = 0, value = 0;
  for (std::string name, unit; file >> name >> value; std::getline(file, unit))
    if (name == "MemAvailable:" || name == "SwapFree:") kilobytes += value, ++found;
  return found == 2 ? kilobytes * 1024 : std::numeric_limits<std::size_t>::max();
}

/// Memory from the system, or null.
void* system_memory(std::size_t bytes) {
  return bytes <= available_memory() ? std::aligned_alloc(page, bytes) : nullptr;
}

class Pool {
 public:
  std::byte* take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    auto smallest = free_by_size_.lower_bound({size, nullptr});
    if (smallest == free_by_size_.end()) smallest = add_chunk(size);
    std::byte* const block = smallest->second;
    const std::size_t available = smallest->first;
    if (available > size) add_free(block + size, available - size);  // first: it may throw
    remove_free(block, available);
    statistics_.in_use += size;
    statistics_.peak_in_use = std::max(statistics_.peak_in_use, statistics_.in_use);
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    return block;
  }

  void give_back(std::byte* block, std::size_t size) noexcept {
    const std::lock_guard lock(mutex_);
    ASAN_POISON_MEMORY_REGION(block, size);
    statistics_.in_use -= size;
    const auto after = free_by_address_.lower_bound(block);
    if (after != free_by_address_.end() && block + size == after->first) {
      size += after->second;
      remove_free(after->first, after->second);
    }
    const auto next = free_by_address_.lower_bound(block);
    if (next != free_by_address_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == block) {
        block = before->first;
        size += before->second;
        remove_free(before->first, before->second);
      }
    }
    try {
      add_free(block, size);
    } catch (const std::bad_alloc&) {
      // There is no memory to remember the block. It is lost for later requests, but the program goes on.
    }
  }

  MemoryStatistics statistics() {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

 private:
  using BySize = std::set<std::pair<std::size_t, std::byte*>>;

  BySize::iterator add_chunk(std::size_t size) {
    // Each chunk is at least an eighth of the memory reserved so far. This keeps the number of chunks small,
    // and so the waste at their ends.
    const std::size_t bytes = round_up(std::max({size, small_chunk, statistics_.reserved / 8}), page);
    void* chunk = system_memory(bytes);
    std::size_t got = bytes;
    if (chunk == nullptr) chunk = system_memory(got = round_up(size, page));
    if (chunk == nullptr)
      throw OutOfMemory(fmt::format(
          "out of memory: {:.1f} MB more were needed beside the {:.1f} MB in use; try smaller batches or a "
          "smaller model",
          static_cast<double>(size) * 1e-6, static_cast<double>(statistics_.in_use) * 1e-6));
#ifdef __linux__
    madvise(chunk, got, MADV_HUGEPAGE);
#endif
    ASAN_POISON_MEMORY_REGION(chunk, got);
    statistics_.reserved += got;
    ++statistics_.system_requests;
    return add_free(static_cast<std::byte*>(chunk), got);
  }

  BySize::iterator add_free(std::byte* block, std::size_t size) {
    const auto added = free_by_size_.emplace(size, block).first;
    try {
      free_by_address_.emplace(block, size);
    } catch (...) {
      free_by_size_.erase(added);
      throw;
    }
    return added;
  }

  void remove_free(std::byte* block, std::size_t size) {
    free_by_size_.erase({size, block});
    free_by_address_.erase(block);
  }

  std::mutex mutex_;
  BySize free_by_size_;
  std::map<std::byte*, std::size_t> free_by_address_;
  MemoryStatistics statistics_;
};

// Never destroyed, because tensors with static storage may be destroyed after any other object.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

}  // namespace

Buffer allocate(std::size_t bytes) {
  const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), alignment);
  std::byte* const block = pool().take(size);
  return Buffer(block, [size](void* address) { pool().give_back(static_cast<std::byte*>(address), size); });
}

MemoryStatistics memory_statistics() { return pool().statistics(); }

}  // namespace regard
