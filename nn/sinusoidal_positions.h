#pragma once

#include "nn/positions.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// The encodings of Vaswani et al. 2017, section 3.5:
///   PE(pos, 2i) = sin(pos / base^(2i/d_model)),  PE(pos, 2i+1) = cos(pos / base^(2i/d_model)),
/// or with the columns in another order (SinusoidLayout). Every position from 0 on has an encoding; nothing
/// is learnt. The paper's base is 10000.
class SinusoidalPositions : public Positions {
 public:
  explicit SinusoidalPositions(Index d_model, double base = 10000,
                               SinusoidLayout layout = SinusoidLayout::interleaved)
      : d_model_(d_model), base_(base), layout_(layout) {}

  /// Throws Error for a negative position.
  Tensor encodings(std::span<const std::int32_t> positions) override;
  /// The encodings of positions 0, 1, …, `last`, and perhaps of more. Threads may call it at the same time.
  Tensor table(Index last);

 private:
  Index d_model_;
  double base_;
  SinusoidLayout layout_;
  Tensor table_;  ///< the encodings of positions 0, 1, …, up to the greatest that was needed
};

}}}  // namespace regard::REGARD_PRECISION::nn
