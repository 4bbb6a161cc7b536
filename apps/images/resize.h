#pragma once

#include "autograd/machine/real.h"
#include "transformer/captions/image.h"

namespace regard::images {

/// The image with another height and width; a change of their ratio stretches it. A new pixel is the mean of
/// the old ones around its centre, with weights that fall linearly to 0: over 1 old pixel on each side if the
/// image grows (bilinear interpolation), over 1 new pixel if it shrinks, so that every old pixel counts. Both
/// sizes must be at least 1.
transformer::Image resized(const transformer::Image& image, Index height, Index width);

}  // namespace regard::images
