#pragma once

#include "nn/convolution/convolution.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// A convolution with a square window (nn/convolution/convolution.h), as torch.nn.Conv2d: weight[out, in,
/// size, size] and bias[out]. The weight is a matrix that multiplies patches of size * size * in numbers, so
/// it comes from Xavier for that matrix; the bias is 0.
class Conv2d : public Module {
 public:
  Conv2d(Index in, Index out, const SlidingWindow& sliding_window, Random& random);

  /// x[pixels, in] of these planes -> [places, out].
  Tensor operator()(const Tensor& x, const Planes& planes) const {
    return conv2d(x, planes, weight, bias, window);
  }
  void visit(Visitor& visitor) override;

  SlidingWindow window;
  Tensor weight, bias;
};

}}}  // namespace regard::REGARD_PRECISION::nn
