#pragma once

#include <cstddef>

namespace regard::translation {

/// The number of scripts in the table.
std::size_t script_count();

inline constexpr std::size_t latin_script = 1;

/// Returns the script of a letter, as a number below script_count(). 0 is a character of no known script.
std::size_t script_of(char32_t letter);

/// "Latin", "Cyrillic", …; "none" for 0.
const char* script_name(std::size_t script);

}  // namespace regard::translation
