#pragma once

#include <string>

#include "autograd/planes.h"
#include "autograd/tensor.h"
#include "transformer/batch.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The images of a batch as the first layer reads them.
struct Pixels {
  Tensor rows;  ///< [pixels, 3]: red, green and blue, each from -1 for 0 to 1 for 255
  Planes planes;
};

/// Reads sources that are images (transformer/images/image.h). Throws Error for a source that is none, and
/// for an image whose height or width is not a multiple of `multiple`; `reason` says in that message why.
Pixels read_pixels(const Source& source, Index multiple, const std::string& reason);

}}}  // namespace regard::REGARD_PRECISION::transformer
