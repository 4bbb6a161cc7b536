#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/kernels/planes.h"
#include "autograd/tensor.h"
#include "transformer/batch.h"

// Images as an encoder reads them.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// A picture in red, green and blue: row by row from the top, three bytes for each pixel.
struct Image {
  Index height = 0, width = 0;
  std::vector<std::uint8_t> pixels = {};  ///< height * width * 3
};

/// An image as a Source, so that corpora, batches and searches need to know nothing of
/// images: its height, its width, then one number 65536 red + 256 green + blue for each pixel. Throws Error
/// if the number of pixels is not height times width.
std::vector<std::int32_t> as_source(const Image& image);

/// The images of a batch as the first layer reads them.
struct Pixels {
  Tensor rows;  ///< [pixels, 3]: red, green and blue, each from -1 for 0 to 1 for 255
  Planes planes;
};

/// Reads sources that are images. Throws Error for a source that is none, and
/// for an image whose height or width is not a multiple of `multiple`; `reason` says in that message why.
Pixels read_pixels(const Source& source, Index multiple, const std::string& reason);

}}}  // namespace regard::REGARD_PRECISION::transformer
