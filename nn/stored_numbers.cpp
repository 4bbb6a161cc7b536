#include "nn/stored_numbers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "autograd/machine/error.h"
#include "autograd/machine/files.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

static_assert(std::endian::native == std::endian::little, "files of weights hold little-endian numbers");

std::uint64_t size_of(StoredType type) {
  switch (type) {
    case StoredType::float16:
    case StoredType::bfloat16:
      return 2;
    case StoredType::float32:
      return sizeof(float);
    case StoredType::float64:
      return sizeof(double);
  }
  fail("there is no stored type {}", static_cast<int>(type));
}

float float_of_float16(std::uint16_t bits) {
  constexpr std::uint32_t exponent_mask = 0x7C00, fraction_mask = 0x3FF;
  const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = bits & exponent_mask;
  const std::uint32_t fraction = bits & fraction_mask;
  if (exponent == 0) {  // zero or subnormal: fraction / 2^24
    const float value = static_cast<float>(fraction) / 16777216.0f;
    return sign == 0 ? value : -value;
  }
  // The exponents of float16 have the bias 15, those of float32 have 127. The largest stands for infinity and
  // NaN in both.
  const std::uint32_t wider =
      exponent == exponent_mask ? 0x7F800000u : (exponent + ((127u - 15u) << 10)) << 13;
  return __builtin_bit_cast(float, sign | wider | fraction << 13);
}

float float_of_bfloat16(std::uint16_t bits) { return __builtin_bit_cast(float, std::uint32_t{bits} << 16); }

std::optional<std::uint64_t> stored_size(StoredType type, const std::vector<Index>& extents) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;  // bytes: far beyond any file, far below overflow
  std::uint64_t size = size_of(type);
  for (const Index extent : extents) {
    if (extent < 0 || (extent > 0 && size > most / static_cast<std::uint64_t>(extent))) return std::nullopt;
    size *= static_cast<std::uint64_t>(extent);
  }
  return size;
}

namespace {

template <class Stored, class Value>
void convert(const std::string& bytes, Real* to, const Value& value) {
  const char* from = bytes.data();
  for (std::size_t i = 0; i < bytes.size() / sizeof(Stored); ++i, from += sizeof(Stored)) {
    Stored stored;
    std::memcpy(&stored, from, sizeof stored);
    to[i] = static_cast<Real>(value(stored));
  }
}

}  // namespace

void convert(StoredType type, const std::function<std::string(std::uint64_t)>& next, const Tensor& tensor) {
  constexpr Index block = 1 << 18;  // numbers
  for (Index begin = 0; begin < tensor.size(); begin += block) {
    const Index count = std::min(block, tensor.size() - begin);
    const std::string bytes = next(static_cast<std::uint64_t>(count) * size_of(type));
    Real* const to = tensor.data() + begin;
    switch (type) {
      case StoredType::float16:
        convert<std::uint16_t>(bytes, to, float_of_float16);
        break;
      case StoredType::bfloat16:
        convert<std::uint16_t>(bytes, to, float_of_bfloat16);
        break;
      case StoredType::float32:
        convert<float>(bytes, to, [](float value) { return value; });
        break;
      case StoredType::float64:
        convert<double>(bytes, to, [](double value) { return value; });
        break;
    }
  }
}

PartlyReadFile::PartlyReadFile(const std::string& path) : path_(path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  // A pipe is not even opened, which would wait for its writer.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail("cannot read {}: it is no regular file", path);
  check_readable(path);
  size_ = std::filesystem::file_size(path, error);
  if (error) fail("cannot read {}: {}", path, error.message());
}

std::string PartlyReadFile::read(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset > size_ || bytes > size_ - offset)
    fail("{} is truncated: {} bytes were expected at byte {}, but it has {} in all", path_, bytes, offset,
         size_);
  std::ifstream file(path_, std::ios::binary);
  std::string result(bytes, '\0');
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(result.data(), static_cast<std::streamsize>(bytes));
  if (!file) fail("cannot read {}: it changed while it was read, or the disk failed", path_);
  return result;
}

void PartlyReadFile::read(std::uint64_t offset, StoredType type, const Tensor& tensor) const {
  convert(
      type,
      [&](std::uint64_t bytes) {
        std::string piece = read(offset, bytes);
        offset += bytes;
        return piece;
      },
      tensor);
}

Tensor TensorFile::read(const std::string& name, const Shape& expected) const {
  const auto found = shapes().find(name);
  if (found == shapes().end()) fail("{}: {} is missing; expected {}", path_, name, to_string(expected));
  if (found->second != expected)
    fail("{}: {}: expected {}, is {}", path_, name, to_string(expected), to_string(found->second));
  return read(name);
}

}}}  // namespace regard::REGARD_PRECISION::nn
