#pragma once

#include <string>
#include <string_view>

#include "autograd/machine/real.h"
#include "transformer/captions/image.h"

namespace regard::images {

using transformer::Image;

/// A larger image is refused before memory for it is taken.
inline constexpr Index most_side = 65535, most_pixels = Index{8192} * 8192;

/// Reads an image in PNG or JPEG. A pixel that is partly transparent is mixed with white, 16 bits become 8,
/// and grey becomes equal parts of red, green and blue. Throws Error that names the file if it cannot be
/// read, is neither PNG nor JPEG, is damaged, or is too large.
Image read_image(const std::string& path);

/// The same for the bytes of a file; messages call them `name`.
Image decode_image(std::string_view bytes, const std::string& name);

/// The image as the bytes of a PNG file. The same image gives the same bytes with the same libpng and zlib.
std::string png_bytes(const Image& image);

/// True if the text ends like the name of an image, .png, .jpg or .jpeg in any case, and a file has this
/// name.
bool names_image(const std::string& text);

}  // namespace regard::images
