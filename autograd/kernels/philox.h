#pragma once

// Philox as plain static functions: each kernel file compiles its own copy for its own instruction set,
// sixteen counters at a time so that the compiler can put them in vector registers.

#include <cstdint>

namespace regard {

struct PhiloxBlock {
  std::uint32_t word[4];
};

/// Columns of a row whose dropout decisions are drawn together: 16 counters of eight 16-bit numbers.
constexpr int dropout_tile = 128;

/// An element is dropped if its 16-bit number is below this.
constexpr std::uint32_t dropout_threshold(double probability) {
  return static_cast<std::uint32_t>(probability * 65536 + 0.5);
}

// Constants of Salmon et al. 2011, table 2.
constexpr std::uint32_t philox_multiplier_0 = 0xD2511F53, philox_multiplier_1 = 0xCD9E8D57;
constexpr std::uint32_t philox_weyl_0 = 0x9E3779B9, philox_weyl_1 = 0xBB67AE85;

[[maybe_unused]] static inline void philox_rounds(PhiloxBlock* block, std::uint64_t key) {
  std::uint32_t* const c = block->word;
  auto key_0 = static_cast<std::uint32_t>(key), key_1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{philox_multiplier_0} * c[0];
    const std::uint64_t p1 = std::uint64_t{philox_multiplier_1} * c[2];
    const std::uint32_t c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ key_0;
    const std::uint32_t c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ key_1;
    c[0] = c0, c[1] = static_cast<std::uint32_t>(p1), c[2] = c2, c[3] = static_cast<std::uint32_t>(p0);
    key_0 += philox_weyl_0;
    key_1 += philox_weyl_1;
  }
}

/// The 128 numbers of (row, tile): counters tile*16 .. tile*16+15, word 0 of all sixteen, then word 1, …,
/// each word holding two numbers.
[[maybe_unused]] static inline void dropout_numbers(std::uint64_t key, std::uint64_t row, std::uint64_t tile,
                                                    std::uint16_t* numbers) {
  constexpr int lanes = 16;
  std::uint32_t c[4][lanes];
  for (int i = 0; i < lanes; ++i) {
    c[0][i] = static_cast<std::uint32_t>(tile * lanes) + static_cast<std::uint32_t>(i);
    c[1][i] = 0;
    c[2][i] = static_cast<std::uint32_t>(row);
    c[3][i] = static_cast<std::uint32_t>(row >> 32);
  }
  auto key_0 = static_cast<std::uint32_t>(key), key_1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
#pragma omp simd
    for (int i = 0; i < lanes; ++i) {
      const std::uint64_t p0 = std::uint64_t{philox_multiplier_0} * c[0][i];
      const std::uint64_t p1 = std::uint64_t{philox_multiplier_1} * c[2][i];
      c[0][i] = static_cast<std::uint32_t>(p1 >> 32) ^ c[1][i] ^ key_0;
      c[1][i] = static_cast<std::uint32_t>(p1);
      c[2][i] = static_cast<std::uint32_t>(p0 >> 32) ^ c[3][i] ^ key_1;
      c[3][i] = static_cast<std::uint32_t>(p0);
    }
    key_0 += philox_weyl_0;
    key_1 += philox_weyl_1;
  }
  __builtin_memcpy(numbers, c, sizeof c);  // the low half of each word first: little-endian
}

}  // namespace regard
