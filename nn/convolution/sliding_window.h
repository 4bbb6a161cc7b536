#pragma once

#include "autograd/kernels/planes.h"

// The window of a convolution, and its places.

namespace regard {

/// A square window that slides over a plane. It moves by `stride` pixels. It also moves over `padding`
/// pixels beyond each side of the plane.
struct SlidingWindow {
  Index size;
  Index stride = 1;
  Index padding = 0;
};

/// The places of a window in each plane, which are a plane again, as in PyTorch:
///   (extent + 2 padding - size) / stride + 1, rounded down, in both directions.
/// Throws Error for a window that has no place in a plane, naming both.
Planes places(const Planes& planes, const SlidingWindow& window);

}  // namespace regard
