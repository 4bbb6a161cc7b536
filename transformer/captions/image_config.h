#pragma once

#include <vector>

#include "autograd/machine/real.h"

// The settings of encoders of images.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The shape of the encoders of images.
struct ImageConfig {
  // The convolutional encoder: one entry per layer.
  std::vector<Index> channels{32, 64, 96, 128};
  std::vector<Index> strides{2, 2, 2, 1};
  Index window = 3;  ///< its size; odd, so that it has a middle

  Index patch_size = 8;  ///< the encoder of patches

  /// Pixels of the image, in each direction, for one position of the convolutional encoder's memory.
  Index reduction() const;
};

/// Limits of the convolutional encoder: at most this many layers, with windows of at most this size. The
/// product of the strides then fits an Index.
constexpr Index most_layers = 12, greatest_window = 15;

/// Throws Error that names a setting out of its range, or settings that do not go together.
void check(const ImageConfig& config);

}}}  // namespace regard::REGARD_PRECISION::transformer
