#pragma once

#include "autograd/kernels/planes.h"
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

/// Adds to each pixel of a plane the encoding of its place. The first half of the columns encodes the row of
/// the pixel, the second half its column, each as above (as in Carion et al. 2020, appendix A.4).
class PlanePositionalEncoding {
 public:
  explicit PlanePositionalEncoding(Index width, double base = 10000)
      : rows_(width / 2, base), columns_(width - width / 2, base) {}

  /// x[pixels, width] of these planes.
  Tensor operator()(const Tensor& x, const Planes& planes);

 private:
  SinusoidalPositions rows_, columns_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
