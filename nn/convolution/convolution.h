#pragma once

#include "autograd/tensor.h"
#include "nn/convolution/sliding_window.h"

// Convolution and pooling as operations.

namespace regard { inline namespace REGARD_PRECISION {

/// The convolution of LeCun et al. 1989, as torch.nn.Conv2d computes it. At each place (r, c) of the window:
///   y[(r, c), o] = bias[o] + sum over i, j, k of weight[o, k, i, j] x[(stride r - padding + i,
///                                                                    stride c - padding + j), k]
/// x[pixels, in] with its planes; weight[out, in, size, size]; bias[out] or empty; the result is [places,
/// out], with the planes places(planes, window) (nn/convolution/sliding_window.h). Pixels of the padding are
/// 0. Throws Error naming the shapes that do not fit.
Tensor conv2d(const Tensor& x, const Planes& planes, const Tensor& weight, const Tensor& bias,
              const SlidingWindow& window);

// A number for each place of a window and each channel, from the pixels under the window: x[pixels, channels]
// with its planes -> [places, channels], with the planes places(planes, window)
// (nn/convolution/sliding_window.h). Both throw Error naming the shapes that do not fit.

/// The greatest value. Pixels of the padding are never the greatest. As torch.nn.MaxPool2d.
Tensor max_pool2d(const Tensor& x, const Planes& planes, const SlidingWindow& window);

/// The sum divided by size^2. Pixels of the padding count as 0. As torch.nn.AvgPool2d.
Tensor avg_pool2d(const Tensor& x, const Planes& planes, const SlidingWindow& window);

}}  // namespace regard::REGARD_PRECISION
