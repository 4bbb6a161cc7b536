#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/program/support/run.h"

namespace regard::tests {

/// The parts of a safetensors file, to read or to change them: 8 bytes with the length of the header, the
/// header, the numbers. It is written without a checksum, like the files of other programs.
struct Weights {
  explicit Weights(const std::string& path) {
    const std::string bytes = content(path);
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    header = bytes.substr(sizeof size, size);
    numbers = bytes.substr(sizeof size + size);
    const std::string end_of_metadata = "},";  // there are no others before it
    header.erase(1, header.find(end_of_metadata) + end_of_metadata.size() - 1);
  }

  /// Replaces the first occurrence of a text in the header.
  void replace(const std::string& text, const std::string& by) {
    header.replace(header.find(text), text.size(), by);
  }

  /// Multiplies all numbers.
  void multiply(float factor) {
    for (std::size_t at = 0; at < numbers.size(); at += sizeof(float)) {
      float number = 0;
      std::memcpy(&number, &numbers[at], sizeof number);
      number *= factor;
      std::memcpy(&numbers[at], &number, sizeof number);
    }
  }

  void write(const std::string& path) const {
    const std::uint64_t size = header.size();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file << header << numbers;
  }

  std::string header, numbers;
};

}  // namespace regard::tests
