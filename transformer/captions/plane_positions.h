#pragma once

#include "autograd/kernels/planes.h"
#include "nn/sinusoidal_positions.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Adds to each pixel of a plane the encoding of its place. The first half of the columns encodes the row of
/// the pixel, the second half its column, each with sinusoids (as in Carion et al. 2020, appendix A.4).
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
