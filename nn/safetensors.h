#pragma once

#include <map>
#include <string>
#include <vector>

#include "autograd/files.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

// The safetensors format (https://github.com/huggingface/safetensors): 8 bytes with the length of the header,
// the header in JSON (name, type, shape and position of each tensor), then the numbers, little-endian.

/// Text that is stored with the tensors, by name.
using Metadata = std::map<std::string, std::string>;

/// Writes the tensors in the given order, as F32 or F64 according to `Real`, and the metadata. A weight that
/// exists in 8 bits (nn/quantise.h) is written as I8, and the scales of its rows as F32 under its name and
/// "_scale". A CRC-32 of header and numbers is added to the metadata under the name "crc32". Throws Error if
/// the metadata use that name, and if the file cannot be written; then an older file of this name stays as it
/// was.
void save_safetensors(const std::string& path, const std::vector<NamedParameter>& tensors,
                      const Metadata& metadata = {});

/// Reads all tensors, F32 or F64, and converts them to `Real`. A weight in I8 with its scales stays in 8
/// bits. `metadata` receives the metadata without "crc32" unless it is null. Throws Error that names the file
/// and the fault: it is missing, truncated, or not a safetensors file, a name occurs twice, a shape or an
/// offset is not a whole number, a tensor has another type or lies outside the file, or the contents do not
/// match the checksum of save_safetensors. (Files of other programs have no checksum and are not checked.)
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

/// Copies the values of a file into the module's parameters. Throws Error unless names and shapes are the
/// same on both sides; the message lists the differences, and nothing is changed.
void load_parameters(Module& module, const std::string& path);

}}}  // namespace regard::REGARD_PRECISION::nn
