#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/machine/real.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

// Numbers in files of weights, which may have another type than `Real`. All are little-endian.

/// float16 has 5 bits of exponent and 10 of fraction (IEEE 754 binary16); bfloat16 is the upper half of a
/// float32.
enum class StoredType { float16, bfloat16, float32, float64 };

/// Bytes of a number.
std::uint64_t size_of(StoredType type);

/// The value of a float16 or a bfloat16 with these bits. Every such value is a float32 too.
float float_of_float16(std::uint16_t bits);
float float_of_bfloat16(std::uint16_t bits);

/// The number of bytes of a tensor, or nothing if an extent is negative or if no file is so large.
std::optional<std::uint64_t> stored_size(StoredType type, const std::vector<Index>& extents);

/// Fills a tensor with stored numbers. `next` gets a number of bytes and returns that many, the next ones of
/// the tensor. So there is no copy of the whole tensor.
void convert(StoredType type, const std::function<std::string(std::uint64_t)>& next, const Tensor& tensor);

/// A file of which parts are read.
class PartlyReadFile {
 public:
  /// Throws Error that names the path and the reason if the file cannot be opened, or is no regular file.
  explicit PartlyReadFile(const std::string& path);

  std::uint64_t size() const { return size_; }
  /// Returns a part. Throws Error if the file ends before.
  std::string read(std::uint64_t offset, std::uint64_t bytes) const;
  /// Fills a tensor with the numbers from `offset` on.
  void read(std::uint64_t offset, StoredType type, const Tensor& tensor) const;

 private:
  std::string path_;
  std::uint64_t size_;
};

/// A file of named tensors, which are read one by one.
class TensorFile {
 public:
  virtual ~TensorFile() = default;

  /// The shapes of all tensors.
  virtual const std::map<std::string, Shape>& shapes() const = 0;
  /// Reads a tensor and converts its numbers to `Real`. The file has a tensor of this name.
  virtual Tensor read(const std::string& name) const = 0;

  const std::string& path() const { return path_; }
  bool has(const std::string& name) const { return shapes().contains(name); }
  /// Throws Error that names the file, the tensor and both shapes unless the file has it with this shape.
  Tensor read(const std::string& name, const Shape& expected) const;

 protected:
  explicit TensorFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
