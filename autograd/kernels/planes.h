#pragma once

#include <vector>

#include "autograd/machine/real.h"

namespace regard {

/// Height and width of an image or of a map of features. Its pixels are rows of a matrix [pixels, channels],
/// from left to right and from top to bottom. The planes of a batch stand one after another without padding,
/// so their sizes may differ.
struct Plane {
  Index height, width;

  Index pixels() const { return height * width; }
  friend bool operator==(const Plane&, const Plane&) = default;
};
using Planes = std::vector<Plane>;

/// Where the rows of each plane begin, and, as the last entry, where they end.
std::vector<Index> offsets_of(const Planes& planes);

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
