#include "nn/sinusoidal_positions.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "autograd/machine/error.h"
#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {
// sin(position / base^(2i/d_model)) for pair i, and the cosine of the same (Vaswani et al. 2017, section 3.5)
Tensor sines_and_cosines(Index positions, Index d_model, double base, SinusoidLayout layout) {
  const Tensor table = Tensor::empty({positions, d_model});
  const bool interleaved = layout == SinusoidLayout::interleaved;
  const Index sines = (d_model + 1) / 2;  // an odd width has one cosine less
  for (Index position = 0; position < positions; ++position) {
    for (Index column = 0; column < d_model; ++column) {
      const auto pair = static_cast<double>(interleaved ? column / 2 : column % sines);
      const bool is_sine = interleaved ? column % 2 == 0 : column < sines;
      const double exponent = layout == SinusoidLayout::marian
                                  ? pair / std::max(static_cast<double>(d_model) / 2 - 1, 1.0)
                                  : 2 * pair / static_cast<double>(d_model);
      const double angle = static_cast<double>(position) * std::pow(base, -exponent);
      table.data()[position * d_model + column] =
          static_cast<Real>(is_sine ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

}  // namespace

Tensor SinusoidalPositions::encodings(std::span<const std::int32_t> positions) {
  if (positions.empty()) return Tensor::empty({0, d_model_});
  const auto [first, last] = std::minmax_element(positions.begin(), positions.end());
  if (*first < 0) fail("positional encoding: position {} is negative", *first);
  return embedding(table(*last), positions);
}

Tensor SinusoidalPositions::table(Index last) {
  static std::mutex mutex;  // batches are translated at the same time, one on each thread
  const std::lock_guard lock(mutex);
  const Index known = table_ ? table_.size(0) : 0;
  if (last >= known)
    table_ = sines_and_cosines(std::max<Index>({last + 1, 2 * known, 128}), d_model_, base_, layout_);
  return table_;
}

}}}  // namespace regard::REGARD_PRECISION::nn
