#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace regard::markup {

/// The length of the tag or comment at the beginning of a text; 0: there is none.
std::size_t tag_length(std::string_view text);

/// The length of the element at the beginning of a text if its content is not translated: <code>, <kbd>,
/// <math>, <samp>, <tt> and <var>, of up to 10,000 bytes, and every other one with translate="no", of up to
/// 100,000. 0 for another element, and without an end tag.
std::size_t piece_length(std::string_view text);

/// True for <br>, <img …>, <x/>, comments and placeholders, which have no content, and for elements whose
/// content stays (piece_length).
bool is_single(std::string_view piece);

/// The name in the tag at the beginning of a text, in small letters: "br" of "<BR/>" and of "</br>".
std::string name_of(std::string_view tag);

/// & < > become entities.
std::string escaped(std::string_view text);

}  // namespace regard::markup
