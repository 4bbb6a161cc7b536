#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/planes.h"
#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// A picture in red, green and blue: row by row from the top, three bytes for each pixel.
struct Image {
  Index height = 0, width = 0;
  std::vector<std::uint8_t> pixels = {};  ///< height * width * 3
};

/// An image as a source (transformer/batch.h), so that corpora, batches and searches need to know nothing of
/// images: its height, its width, then one number 65536 red + 256 green + blue for each pixel. Throws Error
/// if the number of pixels is not height times width.
std::vector<std::int32_t> as_source(const Image& image);

/// Height and width of an image that is given as a source. Throws Error for a sequence that is not an image.
Plane plane_of(std::span<const std::int32_t> source);

/// The reverse of as_source. A last entry after the pixels, the </s> with which every source ends, is
/// dropped. Throws Error for a sequence that is not an image.
Image from_source(std::span<const std::int32_t> source);

}}}  // namespace regard::REGARD_PRECISION::transformer
