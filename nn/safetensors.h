#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/machine/files.h"
#include "nn/module.h"
#include "nn/stored_numbers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

// The safetensors format (https://github.com/huggingface/safetensors): 8 bytes with the length of the header,
// the header in JSON (name, type, shape and position of each tensor), then the numbers, little-endian.

/// Text that is stored with the tensors, by name.
using Metadata = std::map<std::string, std::string>;

/// Writes the tensors in the given order, as F32 or F64 according to `Real`, and the metadata; "crc32" among
/// them is a CRC-32 of header and numbers. Throws Error for names that a file cannot have (two the same,
/// "__metadata__", above 100 MB), and if it cannot be written; then an older file stays as it was.
void save_safetensors(const std::string& path, const std::vector<NamedParameter>& tensors,
                      const Metadata& metadata = {});

/// A tensor as a file holds it. `type` is the format's name of the type of the numbers: "F32".
struct StoredTensor {
  std::string name, type;
  Shape shape;
  std::string_view bytes;
};
/// The tensor as this file would hold it; `bytes` points into its memory.
StoredTensor stored(const NamedParameter& tensor);
/// The same for tensors of any type.
void save_stored_tensors(const std::string& path, const std::vector<StoredTensor>& tensors,
                         const Metadata& metadata);

/// A safetensors file, whose tensors are read one by one. They may be F16, BF16, F32 or F64.
class SafetensorsFile : public TensorFile {
 public:
  /// Throws Error that names the file and the fault: it is missing, truncated, or not a safetensors file, a
  /// name occurs twice, a shape or an offset is not a whole number, a byte belongs to no tensor or to two,
  /// the header has more than 100 MB, or the contents do not match the checksum of save_safetensors. (Files
  /// of other programs have no checksum and are not checked.)
  explicit SafetensorsFile(const std::string& path);

  const std::map<std::string, Shape>& shapes() const override { return shapes_; }  ///< of all tensors
  using TensorFile::read;
  /// Throws Error if the numbers have a type that cannot be read.
  Tensor read(const std::string& name) const override;
  /// The type of a tensor's numbers, as the file names it.
  const std::string& type(const std::string& name) const { return places_.at(name).type; }
  /// The numbers as they are stored.
  std::string bytes(const std::string& name) const;
  /// The metadata without "crc32".
  const Metadata& metadata() const { return metadata_; }

 private:
  struct Place {
    std::string type;
    std::uint64_t offset, bytes;
  };

  [[noreturn]] void refuse(const std::string& reason) const;
  void check_sum(std::string header, std::uint64_t numbers) const;
  void add(const std::string& name, const std::string& type, std::vector<Index> extents,
           const std::vector<std::uint64_t>& offsets, std::uint64_t numbers);

  PartlyReadFile file_;
  Metadata metadata_;
  std::map<std::string, Shape> shapes_;
  std::map<std::string, Place> places_;
};

/// Reads all tensors of a file. `metadata` receives the metadata without "crc32" unless it is null. Throws
/// Error as SafetensorsFile does.
std::map<std::string, Tensor> load_safetensors(const std::string& path, Metadata* metadata = nullptr);

/// True if a file begins as save_safetensors writes it. Files of other programs begin in other ways. Throws
/// Error if the file cannot be read.
bool saved_by_regard(const std::string& path);

/// Throws Error unless names and shapes are the same as those of `tensors`. The message lists the tensors
/// that are missing, left over or of another shape; `name_of_source` and `name_of_expected` name the two in
/// it.
void check_same_tensors(const std::map<std::string, Tensor>& stored,
                        const std::vector<NamedParameter>& tensors, const std::string& name_of_source,
                        const std::string& name_of_expected);

/// Copies the values into the tensors of the same names, as load_parameters does. `name_of_source` names the
/// origin of the values in messages.
void copy_tensors(const std::map<std::string, Tensor>& stored, const std::vector<NamedParameter>& tensors,
                  const std::string& name_of_source);

/// The same without a copy: each tensor uses the memory of the stored tensor of its name from now on
/// (Tensor::take_values). `stored` must have all names. Call it before an optimiser is made, because an
/// optimiser moves the values into a buffer of its own (Tensor::move_into). Throws Error if a shape differs.
void take_tensors(const std::map<std::string, Tensor>& stored, const std::vector<NamedParameter>& tensors);

/// Copies the values of a file into the module's parameters. Throws Error unless names and shapes are the
/// same on both sides; the message lists the differences, and nothing is changed.
void load_parameters(Module& module, const std::string& path);

}}}  // namespace regard::REGARD_PRECISION::nn
