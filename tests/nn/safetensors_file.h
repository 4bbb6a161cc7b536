#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace regard::tests {

/// The bytes of numbers in memory: on the processors we build for, little-endian.
template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// A safetensors file by hand: the length of the header, the header, the numbers.
inline std::string safetensors_file(std::string_view header, std::string_view numbers) {
  std::string result;
  for (int i = 0; i < 8; ++i) result += static_cast<char>((std::uint64_t{header.size()} >> (8 * i)) & 0xff);
  return result.append(header).append(numbers);
}

}  // namespace regard::tests
