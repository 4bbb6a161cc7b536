#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <zlib.h>

namespace regard::tests {

// PNG files made by hand from the specification (ISO/IEC 15948), without libpng: signature, chunks with their
// CRC-32, and a zlib stream of stored blocks.

inline std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 255);
  return bytes;
}

inline std::string chunk(const std::string& type, const std::string& data) {
  const std::string covered = type + data;
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(covered.data()), covered.size());
  return big_endian(static_cast<std::uint32_t>(data.size())) + covered +
         big_endian(static_cast<std::uint32_t>(sum));
}

/// At most 65,535 bytes.
inline std::string stored(const std::string& data) {
  const auto size = static_cast<std::uint16_t>(data.size());
  std::string bytes("\x78\x01\x01", 3);
  for (const unsigned half : {unsigned{size}, ~unsigned{size}}) {
    bytes += static_cast<char>(half & 255);
    bytes += static_cast<char>(half >> 8 & 255);
  }
  const auto sum = adler32_z(1, reinterpret_cast<const Bytef*>(data.data()), data.size());
  return bytes + data + big_endian(static_cast<std::uint32_t>(sum));
}

struct PngHeader {
  std::uint32_t width, height;
  int bits, colour_type;  ///< 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha
  int interlace = 0;
};

inline std::string png_start(const PngHeader& header) {
  std::string data = big_endian(header.width) + big_endian(header.height);
  for (const int byte : {header.bits, header.colour_type, 0, 0, header.interlace})
    data += static_cast<char>(byte);
  return std::string("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", data);
}

inline std::string bytes_of(const std::vector<int>& values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

/// `rows` are the rows of the image with the byte of their filter; `before` are chunks between IHDR and IDAT.
inline std::string png(const PngHeader& header, const std::vector<int>& rows,
                       const std::string& before = "") {
  return png_start(header) + before + chunk("IDAT", stored(bytes_of(rows))) + chunk("IEND", "");
}

}  // namespace regard::tests
