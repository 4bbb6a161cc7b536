#pragma once

#include <string>
#include <string_view>

namespace regard::explore {

/// Bytes as text (RFC 4648, section 4).
std::string base64(std::string_view bytes);

/// The bytes of such a text. Throws Error for a character that is not in the alphabet, and for a text whose
/// length is not a multiple of 4.
std::string from_base64(std::string_view text);

}  // namespace regard::explore
