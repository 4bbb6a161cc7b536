#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace regard::tests {

/// The CRC-32 of RFC 1952, section 8, bit by bit.
inline std::uint32_t crc_32(std::string_view text) {
  std::uint32_t sum = 0xFFFFFFFF;
  for (const char byte : text) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~sum;
}

/// A gzip file (RFC 1952) of stored blocks (RFC 1951, section 3.2.4), made without zlib.
inline std::string gzip(std::string_view text) {
  const auto number = [](std::uint32_t value, int bytes) {
    std::string little_endian;
    for (int i = 0; i < bytes; ++i) little_endian += static_cast<char>(value >> (8 * i) & 0xFF);
    return little_endian;
  };
  constexpr std::size_t largest = 0xFFFF;
  std::string file("\x1F\x8B\x08\0\0\0\0\0\0\x03", 10);
  std::string_view left = text;
  do {
    const std::string_view block = left.substr(0, largest);
    left.remove_prefix(block.size());
    const auto size = static_cast<std::uint32_t>(block.size());
    file += (left.empty() ? "\x01" : std::string(1, '\0')) + number(size, 2) + number(~size, 2);
    file += block;
  } while (!left.empty());
  return file + number(crc_32(text), 4) + number(static_cast<std::uint32_t>(text.size()), 4);
}

}  // namespace regard::tests
