#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace regard {

/// The random number generator SplitMix64 (Steele, Lea and Flood 2014), for corpora, their order and
/// resampling. It gives the same numbers everywhere; std::shuffle and the standard distributions give others
/// with each implementation of the standard library. (Weights and dropout have a generator of their own.)
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t state) : state_(state) {}

  /// Returns the generator of one epoch. Both numbers are mixed, so that neighbouring epochs (or seeds) share
  /// no part of the sequence.
  static SplitMix64 for_epoch(std::uint64_t seed, std::uint64_t epoch) {
    return SplitMix64(mix(mix(seed + increment) + epoch + increment));
  }

  std::uint64_t next() { return mix(state_ += increment); }

  /// Returns a number from 0 to bound - 1; all are equally likely. It discards values of next() below 2^64
  /// mod bound. The number of values that remain is a multiple of bound.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t excess = (0 - bound) % bound;
    std::uint64_t value = next();
    while (value < excess) value = next();
    return value % bound;
  }

  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

  /// The shuffle of Fisher and Yates. All orders are equally likely.
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
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

}  // namespace regard
