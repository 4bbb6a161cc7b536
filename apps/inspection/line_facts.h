#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace regard::translation {

/// The number of scripts that are told apart. 0 is a character of none of them.
std::size_t script_count();
/// "Latin", "Cyrillic", …; "none" for 0.
const char* script_name(std::size_t script);

/// The facts about one line of one side. Hashes have 64 bits: among a million different lines, two have the
/// same hash with a probability of 3 in 100 million.
struct LineFacts {
  std::uint64_t text_hash = 0;     ///< hash of the line as it is read (as_read in files/utf8.h)
  std::uint64_t letters_hash = 0;  ///< hash of the letters and digits of that in lower case; 0: it has none
  std::uint32_t words = 0;         ///< between blanks
  std::uint32_t characters = 0;    ///< without blanks
  std::uint8_t script = 0;         ///< that of most letters; 0: no letter, a draw, or a few of Han alone
  bool utf8 = true;                ///< if false, the line has no other facts
  bool control = false;            ///< a character of is_control in files/utf8.h
  bool invisible = false;          ///< one of is_hidden
  bool tab = false;
  bool mojibake = false;  ///< repair_mojibake changes it
};

LineFacts line_facts(std::string_view line);

}  // namespace regard::translation
