#include "nn/positional_encoding.h"

#include <algorithm>
#include <cmath>

#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/shapes.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {
// PE(position, 2i) = sin(position / 10000^(2i/d_model)), PE(position, 2i+1) = cos of the same
// (Vaswani et al. 2017, section 3.5)
Tensor encodings(Index positions, Index d_model) {
  const Tensor table = Tensor::empty({positions, d_model});
  for (Index position = 0; position < positions; ++position) {
    for (Index column = 0; column < d_model; ++column) {
      const auto pair = static_cast<double>(column / 2);
      const double frequency = std::pow(10000.0, -2 * pair / static_cast<double>(d_model));
      const double angle = static_cast<double>(position) * frequency;
      table.data()[position * d_model + column] =
          static_cast<Real>(column % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}
}  // namespace

Tensor SinusoidalPositionalEncoding::operator()(const Tensor& x, std::span<const std::int32_t> positions) {
  if (x.rank() != 2 || x.size(0) != to_index(positions.size()) || x.size(1) != d_model_)
    fail("positional encoding: x of shape {} must be [{}, {}], a row for each position", to_string(x.shape()),
         positions.size(), d_model_);
  if (positions.empty()) return x;
  const auto [first, last] = std::ranges::minmax_element(positions);
  if (*first < 0) fail("positional encoding: position {} is negative", *first);
  const Index known = table_ ? table_.size(0) : 0;
  if (*last >= known) table_ = encodings(std::max<Index>({*last + 1, 2 * known, 128}), d_model_);
  return x + gather(table_, 0, positions);
}

}}}  // namespace regard::REGARD_PRECISION::nn
