#pragma once

// What the tests of heads share.

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/transformer/support.h"

namespace regard::tests {

inline std::vector<std::string> names_of(EncoderDecoder& model) {
  std::vector<std::string> names;
  for (const AttentionLayer& layer : attention_layers(model)) names.push_back(layer.name);
  return names;
}

/// The parameter of this name.
inline Tensor parameter_of(EncoderDecoder& model, const std::string& name) {
  for (const nn::NamedParameter& parameter : model.parameters())
    if (parameter.name == name) return parameter.tensor;
  throw std::runtime_error("there is no " + name);
}

/// Sets the columns first .. last of a matrix to 0.
inline void clear_columns(const Tensor& matrix, Index first, Index last) {
  for (Index row = 0; row < matrix.size(0); ++row)
    std::fill(matrix.data() + row * matrix.size(1) + first, matrix.data() + row * matrix.size(1) + last,
              Real{0});
}

}  // namespace regard::tests
