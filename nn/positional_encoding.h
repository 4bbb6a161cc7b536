#pragma once

#include <cstdint>
#include <span>

#include "autograd/index.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Adds to each row of x the encoding of its position (Vaswani et al. 2017, section 3.5):
///   PE(pos, 2i) = sin(pos / 10000^(2i/d_model)),  PE(pos, 2i+1) = cos(pos / 10000^(2i/d_model)).
/// Every position from 0 on has an encoding; nothing is learnt.
class SinusoidalPositionalEncoding {
 public:
  explicit SinusoidalPositionalEncoding(Index d_model) : d_model_(d_model) {}

  /// x[rows, d_model], one position for each row.
  Tensor operator()(const Tensor& x, std::span<const std::int32_t> positions);

 private:
  Index d_model_;
  Tensor table_;  ///< the encodings of positions 0, 1, …, up to the greatest that was needed
};

}}}  // namespace regard::REGARD_PRECISION::nn
