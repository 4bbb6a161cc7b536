#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "autograd/real.h"
#include "transformer/images/image.h"

namespace regard::images {

using Colour = std::array<std::uint8_t, 3>;  ///< red, green, blue

transformer::Image filled(Index height, Index width, Colour colour);

inline void set_pixel(transformer::Image& image, Index y, Index x, Colour colour) {
  for (std::size_t i = 0; i < 3; ++i)
    image.pixels[static_cast<std::size_t>(y * image.width + x) * 3 + i] = colour[i];
}

/// Copies an image onto another one, which it must not exceed.
void paste(transformer::Image& onto, const transformer::Image& part, Index top, Index left);

/// The image `factor` times as large: each pixel becomes a square.
transformer::Image magnified(const transformer::Image& image, Index factor);

/// A character and the gap after it, in pixels.
inline constexpr Index text_height = 11, text_width = 6;

/// Writes a line of text in a small font. A character outside printable ASCII becomes a box. Text beyond the
/// edge is cut off.
void write_text(transformer::Image& image, std::string_view utf8, Index top, Index left, Colour colour);

}  // namespace regard::images
