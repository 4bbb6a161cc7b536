#pragma once

#include <string>
#include <string_view>

namespace regard::translation {

/// Returns a text in lower case. It uses Unicode's full mapping, like Python's str.lower(): "İ" becomes two
/// characters, and a capital sigma at the end of a word becomes "ς" (The Unicode Standard, section 3.13,
/// Final_Sigma).
std::u32string lowercase(std::u32string_view text);

}  // namespace regard::translation
