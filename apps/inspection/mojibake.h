#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace regard::translation {

/// Undoes mojibake: UTF-8 whose bytes were read as Windows-1252 or Latin-1 and written as UTF-8, once or
/// several times. "fÃ¼r" becomes "für", and "donâ€™t" becomes "don’t". Returns nothing if the line has none,
/// or if it is not UTF-8. Right texts have such groups of characters, too: a word in capitals may end with
/// "Ã" before a "»". So a line is damaged if one of its groups stands for one of the usual symbols, or for a
/// letter of Latin within a word, or if groups follow one another, as they do in other scripts. Then all are
/// replaced.
std::optional<std::string> repair_mojibake(std::string_view line);

}  // namespace regard::translation
