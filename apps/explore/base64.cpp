#include "apps/explore/base64.h"

#include <cstdint>

#include "autograd/error.h"

namespace regard::explore {

namespace {
constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t offset) -> std::uint32_t {
      return i + offset < bytes.size() ? static_cast<std::uint8_t>(bytes[i + offset]) : 0;
    };
    const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    text += alphabet[three >> 18];
    text += alphabet[three >> 12 & 63];
    text += i + 1 < bytes.size() ? alphabet[three >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? alphabet[three & 63] : '=';
  }
  return text;
}

std::string from_base64(std::string_view text) {
  if (text.size() % 4 != 0) fail("this is not base64: its length, {}, is not a multiple of 4", text.size());
  while (text.ends_with('=') && text.size() % 4 != 2) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;  // of the bits that are not yet in `bytes`
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = alphabet.find(text[i]);
    if (digit == std::string_view::npos)
      fail("this is not base64: character {} is not in its alphabet", i + 1);
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

}  // namespace regard::explore
