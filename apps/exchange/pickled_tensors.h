#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/exchange/pickle.h"
#include "autograd/shape.h"
#include "nn/stored_numbers.h"

namespace regard::exchange {

/// A tensor as torch.save describes it. Its numbers are in a storage, which several tensors may share.
struct PickledTensor {
  std::string storage;                 ///< its key
  std::string type;                    ///< the class of the storage, such as "HalfStorage"
  std::optional<nn::StoredType> read;  ///< the type of the numbers; nothing if it cannot be read
  std::uint64_t storage_size = 0;      ///< numbers in the storage
  std::uint64_t first = 0;             ///< the number in the storage with which the tensor begins
  Shape shape = {};
  std::vector<std::uint64_t> strides = {};  ///< numbers from one index to the next, of each axis
};

/// The tensors of a state_dict by their names. Throws Error that names the file if the value is none.
std::map<std::string, PickledTensor> state_dict(const PickledValue& dictionary, const std::string& file);

}  // namespace regard::exchange
