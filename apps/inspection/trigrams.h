#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace regard::translation {

/// A line in symbols: one for each of the 62 most frequent letters, whatever their case, 1 for all other
/// letters, and 0 for whatever is between words.
using Symbols = std::vector<std::uint8_t>;
constexpr std::size_t symbol_count = 64;

/// The symbols of the letters in some lines. A letter that these lines do not have counts as a blank.
class Alphabet {
 public:
  explicit Alphabet(const std::vector<std::string_view>& lines);

  /// Writes the symbols of a line: a 0, its words, each followed by a 0. It leaves no symbols if there is no
  /// letter, or if the line is not UTF-8.
  void read(std::string_view line, Symbols& symbols) const;

 private:
  std::vector<std::uint8_t> symbols_;  ///< of each character
};

/// A model of letters: how probable each symbol is after the two before it. Such models tell languages apart
/// (Dunning 1994, Statistical Identification of Language).
class Trigrams {
 public:
  Trigrams();  ///< A new model has counted nothing.
  void count(const Symbols& line);

  /// Computes what bits() reads. Each trigram counts `less` times fewer than it was seen. With 1, the model
  /// does not know a line because of this line alone.
  void learn(std::uint32_t less);

  /// Returns the bits of a line, -log2 of its probability. Without symbols, it has none.
  double bits(const Symbols& line) const;

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<float> bits_;
};

}  // namespace regard::translation
