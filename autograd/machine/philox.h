#pragma once

// Philox as plain static functions: each kernel file compiles its own copy for its own instruction set.

#include <cstdint>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace regard {

/// Columns of a row whose dropout decisions are drawn together: 16 counters of eight 16-bit numbers.
constexpr int dropout_tile = 128;

/// An element is dropped if its 16-bit number is below this.
constexpr std::uint32_t dropout_threshold(double probability) {
  return static_cast<std::uint32_t>(probability * 65536 + 0.5);
}

// Constants of Philox4x32 in Salmon et al. 2011.
constexpr std::uint32_t philox_multiplier_0 = 0xD2511F53, philox_multiplier_1 = 0xCD9E8D57;
constexpr std::uint32_t philox_weyl_0 = 0x9E3779B9, philox_weyl_1 = 0xBB67AE85;

// Two counters stand in each 64-bit number, because processors multiply 32-bit numbers only where each has 64
// bits of room: the even counters are multiplied first and then the odd ones. A vector holds as many as the
// instruction set allows.
#if defined(__AVX512F__)
constexpr int counter_bytes = 64;
#elif defined(__AVX2__)
constexpr int counter_bytes = 32;
#else
constexpr int counter_bytes = 16;
#endif
using Counters __attribute__((vector_size(counter_bytes))) = std::uint64_t;
constexpr std::uint64_t low_half = 0xFFFFFFFF, both_halves = 0x100000001;

/// The low half of each number times `factor`.
[[maybe_unused]] static inline std::uint64_t multiply_low(std::uint64_t c, std::uint32_t factor) {
  return (c & low_half) * factor;
}
[[maybe_unused]] static inline Counters multiply_low(Counters c, std::uint32_t factor) {
#if defined(__AVX2__) && !defined(__AVX512F__)  // with AVX-512, compilers find the instruction by themselves
  return (Counters)_mm256_mul_epu32((__m256i)c, _mm256_set1_epi64x(factor));
#elif defined(__SSE2__) && !defined(__AVX512F__)
  return (Counters)_mm_mul_epu32((__m128i)c, _mm_set1_epi64x(factor));
#else
  return (c & low_half) * factor;
#endif
}

/// Ten rounds for counters whose word i is in c[i]. `Numbers` is one 64-bit number or a vector of them.
template <class Numbers>
static inline void philox_rounds(Numbers* c, std::uint64_t key) {
  std::uint64_t key_0 = key & low_half, key_1 = key >> 32;
  for (int round = 0; round < 10; ++round) {
    const Numbers even_0 = multiply_low(c[0], philox_multiplier_0);
    const Numbers odd_0 = multiply_low(c[0] >> 32, philox_multiplier_0);
    const Numbers even_1 = multiply_low(c[2], philox_multiplier_1);
    const Numbers odd_1 = multiply_low(c[2] >> 32, philox_multiplier_1);
    c[0] = ((even_1 >> 32) | (odd_1 & ~low_half)) ^ c[1] ^ (key_0 * both_halves);
    c[1] = (even_1 & low_half) | (odd_1 << 32);
    c[2] = ((even_0 >> 32) | (odd_0 & ~low_half)) ^ c[3] ^ (key_1 * both_halves);
    c[3] = (even_0 & low_half) | (odd_0 << 32);
    key_0 = (key_0 + philox_weyl_0) & low_half;
    key_1 = (key_1 + philox_weyl_1) & low_half;
  }
}

/// The 128 numbers of (row, tile): counters tile*16 .. tile*16+15, word 0 of all sixteen, then word 1, …,
/// each word holding two numbers, the low one first.
[[maybe_unused]] static inline void dropout_numbers(std::uint64_t key, std::uint64_t row, std::uint64_t tile,
                                                    std::uint16_t* numbers) {
  constexpr int counters = counter_bytes / 4, bytes_of_a_word = 64;
  for (int first = 0; first < 16; first += counters) {
    Counters c[4] = {{}, {}, {}, {}};
    for (int i = 0; i < counters / 2; ++i) {
      const std::uint64_t counter = tile * 16 + static_cast<std::uint64_t>(first + 2 * i);
      c[0][i] = (counter & low_half) | (counter + 1) << 32;
    }
    c[2] += (row & low_half) * both_halves;
    c[3] += (row >> 32) * both_halves;
    philox_rounds(c, key);
    // Little-endian: the low half of a number, which holds the even counter, comes first in memory.
    for (int word = 0; word < 4; ++word)
      __builtin_memcpy(reinterpret_cast<char*>(numbers) + word * bytes_of_a_word + first * 4, &c[word],
                       counter_bytes);
  }
}

}  // namespace regard
