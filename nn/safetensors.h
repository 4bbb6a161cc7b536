#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/module.h"

namespace regard::inline REGARD_PRECISION::nn {

// The safetensors format (https://github.com/huggingface/safetensors): 8 bytes with the length of the header,
// the header in JSON (name, type, shape and place of each tensor), then the numbers, little-endian.

/// Writes tensors in the order given, as F32 or F64 after `Real`. Throws Error when the file cannot be
/// written; then the old one, if any, is untouched.
void save_safetensors(const std::string& path, const std::vector<NamedParameter>& tensors);

/// Reads all tensors, F32 or F64, converted to `Real`. Throws Error naming the file and what is wrong with
/// it: missing, truncated, a header that is none, a tensor of another type or outside the file.
std::map<std::string, Tensor> load_safetensors(const std::string& path);

/// Copies the file's values into the module's parameters. Names and shapes must be the same on both sides:
/// throws Error listing what is missing, left over or of another shape, and then changes nothing.
void load_parameters(Module& module, const std::string& path);

}  // namespace regard::inline REGARD_PRECISION::nn
