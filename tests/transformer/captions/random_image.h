#pragma once

#include <cstdint>
#include <vector>

#include "autograd/machine/random.h"
#include "transformer/captions/image.h"

namespace regard::tests {

/// Any bytes; they depend on the seed alone.
inline transformer::Image random_image(Index height, Index width, std::uint64_t seed) {
  Random random(seed);
  transformer::Image image{.height = height, .width = width};
  for (Index i = 0; i < 3 * height * width; ++i)
    image.pixels.push_back(static_cast<std::uint8_t>(random.below(256)));
  return image;
}

/// The same as a source of a model.
inline std::vector<std::int32_t> random_image_source(Index height, Index width, std::uint64_t seed) {
  return as_source(random_image(height, width, seed));
}

}  // namespace regard::tests
