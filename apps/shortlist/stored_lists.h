#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/safetensors.h"

namespace regard::translation {

/// Lists of whole numbers as two tensors of type I32 in a safetensors file: the length of each list, and the
/// numbers of all.
class StoredLists {
 public:
  explicit StoredLists(const std::vector<std::vector<std::int32_t>>& lists);

  /// Adds the tensors NAME.lengths and NAME.numbers, which point into this object.
  void add_to(std::vector<nn::StoredTensor>& tensors, const std::string& name) const;
  /// Throws Error that names the file if the tensors are missing or do not fit together.
  static std::vector<std::vector<std::int32_t>> read(const nn::SafetensorsFile& file,
                                                     const std::string& name);

 private:
  std::vector<std::int32_t> lengths_, numbers_;
};

}  // namespace regard::translation
