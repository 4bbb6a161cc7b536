#pragma once

#include <cstdint>
#include <string_view>

// The hash FNV-1a with 64 bits (Fowler, Noll and Vo 1991), the same on every machine.

namespace regard {

/// The hash of no values.
inline constexpr std::uint64_t fnv_1a_start = 0xcbf29ce484222325;

/// The hash of the values before, and of one more. (The original takes bytes.)
constexpr std::uint64_t fnv_1a(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x100000001b3;
}

/// The hash of the bytes of a text.
constexpr std::uint64_t fnv_1a(std::string_view text) {
  std::uint64_t hash = fnv_1a_start;
  for (const char byte : text) hash = fnv_1a(hash, static_cast<unsigned char>(byte));
  return hash;
}

}  // namespace regard
