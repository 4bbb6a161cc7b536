#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/tensors.h"

namespace regard::tests {

using Positions = std::vector<std::int32_t>;

/// The formula in another order: pairs of columns, with a wavelength that grows from pair to pair.
inline Numbers expected_sinusoids(Index d_model, const Positions& positions) {
  const auto columns = to_size(d_model);
  Numbers result(positions.size() * columns);
  for (std::size_t row = 0; row < positions.size(); ++row) {
    for (std::size_t i = 0; 2 * i < columns; ++i) {
      const double wavelength =
          std::exp(std::log(10000.0) * static_cast<double>(2 * i) / static_cast<double>(d_model));
      result[row * columns + 2 * i] = std::sin(positions[row] / wavelength);
      if (2 * i + 1 < columns) result[row * columns + 2 * i + 1] = std::cos(positions[row] / wavelength);
    }
  }
  return result;
}

}  // namespace regard::tests
