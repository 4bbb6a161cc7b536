#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace regard::markup {

/// The length of the tag or comment at the beginning of a text; 0: there is none.
std::size_t tag_length(std::string_view text);

/// The name in the tag at the beginning of a text, in small letters: "br" of "<BR/>" and of "</br>".
std::string name_of(std::string_view tag);

}  // namespace regard::markup
