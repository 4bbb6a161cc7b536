#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace regard::translation {

/// SplitMix64 (Steele, Lea and Flood 2014). The standard library's shuffle and distributions give another
/// order with every compiler's library; this gives the same everywhere.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t state) : state_(state) {}

  /// The generator of one epoch. Both numbers are mixed, so that neighbouring epochs (or seeds) share no
  /// stretch of the sequence.
  static SplitMix64 for_epoch(std::uint64_t seed, std::uint64_t epoch) {
    return SplitMix64(mix(mix(seed + increment) + epoch + increment));
  }

  std::uint64_t next() { return mix(state_ += increment); }

  /// A number from 0 up to but not including `bound`, each equally likely: values of next() below 2^64 mod
  /// bound are thrown away, which leaves a multiple of bound.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t excess = (0 - bound) % bound;
    std::uint64_t value = next();
    while (value < excess) value = next();
    return value % bound;
  }

 private:
  static constexpr std::uint64_t increment = 0x9E3779B97F4A7C15;

  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

/// Fisher and Yates: every order equally likely.
template <class T>
void shuffle(std::vector<T>& values, SplitMix64& random) {
  for (std::size_t left = values.size(); left > 1; --left)
    std::swap(values[left - 1], values[random.below(left)]);
}

}  // namespace regard::translation
