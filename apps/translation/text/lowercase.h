#pragma once

#include <string>
#include <string_view>

namespace regard::translation {

/// A text in lower case by Unicode's full mapping, as Python's str.lower() has it: "İ" becomes two
/// characters, and a capital sigma at the end of a word becomes "ς" (The Unicode Standard, section 3.13,
/// Final_Sigma).
std::u32string lowercase(std::u32string_view text);

}  // namespace regard::translation
