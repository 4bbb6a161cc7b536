#pragma once

#include <cstdint>

#include "autograd/machine/random.h"
#include "transformer/images/image.h"

namespace regard::tests {

/// Any bytes; they depend on the seed alone.
inline transformer::Image random_image(Index height, Index width, std::uint64_t seed) {
  Random random(seed);
  transformer::Image image{.height = height, .width = width};
  for (Index i = 0; i < 3 * height * width; ++i)
    image.pixels.push_back(static_cast<std::uint8_t>(random.below(256)));
  return image;
}

}  // namespace regard::tests
