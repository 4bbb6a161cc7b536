#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace regard::toys {

/// SplitMix64 (Steele, Lea and Flood 2014). The distributions of <random> differ between standard libraries,
/// but a corpus must be the same everywhere. So all random numbers of the toys come from this class.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Returns a uniform number in [0, bound), bound > 0. Rejects the first 2^64 mod bound values. The number
  /// of other values is a multiple of bound, so all remainders have the same probability.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t unfair = (0 - bound) % bound;
    std::uint64_t value = next();
    while (value < unfair) value = next();
    return value % bound;
  }

  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

  /// Shuffles the items (Fisher and Yates). All orders have the same probability.
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace regard::toys
