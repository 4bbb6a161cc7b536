#include "autograd/version.h"

#include <algorithm>
#include <cstring>

namespace regard {

namespace {
/// A checksum of 64 bits that depends on the order of the bytes (Fowler, Noll and Vo 1991, "FNV-1a", with
/// words instead of bytes).
std::uint64_t checksum(const void* memory, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(memory);
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin + i, std::min(sizeof word, bytes - i));
    sum = (sum ^ word) * 0x100000001b3;
    sum ^= sum >> 32;  // otherwise, two changes of the highest bits of words could cancel out
  }
  return sum;
}
}  // namespace

std::uint64_t Version::number() const {
  if (watching_)
    if (const auto memory = memory_.lock())
      if (const std::uint64_t now = checksum(memory.get(), bytes_); checksum_.exchange(now) != now)
        ++changes_;
  return changes_;
}

void Version::watch(const std::shared_ptr<const void>& memory, std::size_t bytes) {
  if (watching_) return;
  memory_ = memory;
  bytes_ = bytes;
  checksum_ = checksum(memory.get(), bytes);
  watching_ = true;
}

}  // namespace regard
