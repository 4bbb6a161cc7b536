#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "apps/exchange/zip_archive.h"
#include "nn/stored_numbers.h"

namespace regard::exchange {

/// The arrays of NumPy's format .npz: a zip archive of .npy files, each a header in text and then the numbers
/// (numpy/lib/format.py). Arrays are stored row by row and without compression.
class NpzFile : public nn::TensorFile {
 public:
  /// Throws Error that names the file and the array that cannot be read.
  explicit NpzFile(const std::string& path);

  /// Arrays of numbers of other types, such as texts, are not among them.
  const std::map<std::string, Shape>& shapes() const override { return shapes_; }
  using TensorFile::read;
  Tensor read(const std::string& name) const override;

  /// Returns an array of bytes without its end at the first NUL. Throws Error if there is none of this name,
  /// or if it has more than `most` bytes.
  std::string text(const std::string& name, std::uint64_t most) const;

 private:
  struct Place {
    std::string member;
    std::uint64_t header;                ///< bytes before the numbers
    std::optional<nn::StoredType> type;  ///< nothing: they are no weights
  };

  ZipArchive archive_;
  std::map<std::string, Shape> shapes_;
  std::map<std::string, Place> places_;
};

/// Arrays that become a file of this format.
class NpzArrays {
 public:
  void add(const std::string& name, const Tensor& tensor);
  /// An array of bytes that ends with a NUL, as NpzFile::text reads it.
  void add_text(const std::string& name, const std::string& text);
  /// Throws Error that names the file if it cannot be written.
  void write(const std::string& path) const { write_zip(path, members_); }

 private:
  std::map<std::string, std::string> members_;
};

}  // namespace regard::exchange
