#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "autograd/machine/error.h"

namespace regard::images {

namespace base64_digits {
inline constexpr std::string_view all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}

/// Bytes as text (RFC 4648, section 4).
inline std::string base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view three = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < three.size() ? static_cast<std::uint8_t>(three[k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= three.size() ? base64_digits::all[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// The bytes of such a text. Throws Error for a character that is not in the alphabet, and for a text whose
/// length is not a multiple of 4.
inline std::string from_base64(std::string_view text) {
  if (text.size() % 4 != 0) fail("this is not base64: its length, {}, is not a multiple of 4", text.size());
  while (text.ends_with('=') && text.size() % 4 != 2) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = base64_digits::all.find(text[i]);
    if (digit == std::string_view::npos)
      fail("this is not base64: character {} is not in its alphabet", i + 1);
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (i % 4 != 0) bytes += static_cast<char>(bits >> (6 - 2 * (i % 4)) & 0xFF);
  }
  return bytes;
}

}  // namespace regard::images
