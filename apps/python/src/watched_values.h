#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

#include "autograd/machine/hash.h"
#include "autograd/tensor.h"

// NumPy writes to the memory of a tensor and tells nobody. So the values of a tensor that has an array, or
// may get one, are compared by a checksum whenever somebody asks for their version (autograd/version.h).

namespace regard::python {

/// A checksum of 64 bits that depends on the order of the bytes.
inline std::uint64_t checksum(const void* memory, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(memory);
  std::uint64_t sum = fnv_1a_start;
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin + i, std::min(sizeof word, bytes - i));
    sum = fnv_1a(sum, word);
    sum ^= sum >> 32;  // otherwise, two changes of the highest bits of words could cancel out
  }
  return sum;
}

/// From now on, a change of the values changes their version. Returns `x`.
inline const Tensor& watch_values(const Tensor& x) {
  if (x.version()->watched()) return x;
  const std::size_t bytes = to_size(x.size()) * sizeof(Real);
  x.version()->watch([bytes, values = std::weak_ptr<const void>(x.memory()),
                      last = std::make_shared<std::atomic<std::uint64_t>>(checksum(x.data(), bytes))] {
    const std::shared_ptr<const void> memory = values.lock();
    if (memory == nullptr) return false;
    const std::uint64_t now = checksum(memory.get(), bytes);
    return last->exchange(now) != now;
  });
  return x;
}

}  // namespace regard::python
