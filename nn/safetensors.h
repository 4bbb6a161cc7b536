#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

// The safetensors format (https://github.com/huggingface/safetensors): 8 bytes with the length of the header,
// the header in JSON (name, type, shape and place of each tensor), then the numbers, little-endian.

/// Text that travels with tensors.
using Metadata = std::map<std::string, std::string>;

/// Writes tensors in the order given, as F32 or F64 after `Real`, and the metadata, with a CRC-32 of header
/// and numbers under the name "crc32", which the metadata must leave free. Throws Error when they do not, and
/// when the file cannot be written; then the old one, if any, is untouched.
void save_safetensors(const std::string& path, const std::vector<NamedParameter>& tensors,
                      const Metadata& metadata = {});

/// Reads all tensors, F32 or F64, converted to `Real`, and the metadata without "crc32", where they are
/// wanted. Throws Error naming the file and what is wrong with it: missing, truncated, a header that is none,
/// a tensor of another type or outside the file, contents that do not fit the checksum of save_safetensors
/// (files of others have none and are not checked).
std::map<std::string, Tensor> load_safetensors(const std::string& path, Metadata* metadata = nullptr);

/// Throws Error, listing what is missing, left over or of another shape, unless names and shapes are those of
/// `tensors`; `name_of_source` and `name_of_expected` are what the message calls the two.
void check_same_tensors(const std::map<std::string, Tensor>& stored,
                        const std::vector<NamedParameter>& tensors, const std::string& name_of_source,
                        const std::string& name_of_expected);

/// Copies the values into tensors of the same names, as load_parameters does; `name_of_source` is what
/// messages call the place where they come from.
void copy_tensors(const std::map<std::string, Tensor>& stored, const std::vector<NamedParameter>& tensors,
                  const std::string& name_of_source);

/// Copies the file's values into the module's parameters. Names and shapes must be the same on both sides:
/// throws Error listing what is missing, left over or of another shape, and then changes nothing.
void load_parameters(Module& module, const std::string& path);

}}}  // namespace regard::REGARD_PRECISION::nn
