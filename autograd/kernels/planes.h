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

}  // namespace regard
