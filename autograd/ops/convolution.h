#pragma once

#include "autograd/planes.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

/// The convolution of LeCun et al. 1989, as torch.nn.Conv2d computes it. At each place (r, c) of the window:
///   y[(r, c), o] = bias[o] + sum over i, j, k of weight[o, k, i, j] x[(stride r - padding + i,
///                                                                    stride c - padding + j), k]
/// x[pixels, in] with its planes; weight[out, in, size, size]; bias[out] or empty; the result is [places,
/// out], with the planes places(planes, window) (autograd/planes.h). Pixels of the padding are 0. Throws
/// Error naming the shapes that do not fit.
Tensor conv2d(const Tensor& x, const Planes& planes, const Tensor& weight, const Tensor& bias,
              const SlidingWindow& window);

}}  // namespace regard::REGARD_PRECISION
