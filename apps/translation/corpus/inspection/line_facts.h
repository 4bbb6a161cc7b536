#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>

namespace regard::translation {

/// The most frequent words of a side of a corpus, as hashes. A word is letters in a row, in lower case.
class CommonWords {
 public:
  CommonWords() = default;
  /// Counts the words of some lines, which are spread over the text evenly.
  explicit CommonWords(std::span<const std::string_view> lines);

  bool has(std::uint64_t word) const { return words_.contains(word); }
  /// True if the common words are a good part of the text. They are not in a language without blanks.
  bool usable() const { return usable_; }

 private:
  std::unordered_set<std::uint64_t> words_;
  bool usable_ = false;
};

/// The facts about one line of one side. Hashes have 64 bits: among a million different lines, two have the
/// same hash with a probability of 3 in 100 million.
struct LineFacts {
  std::uint64_t text = 0;        ///< hash of the line without the blanks at both ends
  std::uint64_t letters = 0;     ///< hash of its letters and digits in lower case; 0: it has none
  std::uint32_t words = 0;       ///< between blanks
  std::uint32_t characters = 0;  ///< without blanks
  std::uint8_t script = 0;       ///< that of most letters (scripts.h); 0: no letter, or a draw
  bool utf8 = true;              ///< if false, the line has no other facts
  bool control = false;          ///< a control character, or one that shows a damaged encoding (U+FFFD)
  bool tab = false;
  bool strange = false;  ///< at least 8 words, at most a tenth of them common
};

LineFacts line_facts(std::string_view line, const CommonWords& common);

}  // namespace regard::translation
