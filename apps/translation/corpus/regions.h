#pragma once

#include <string>
#include <vector>

#include "autograd/real.h"

namespace regard::translation {

/// A word of a caption and the part of the image that it names.
struct WordRegion {
  Index position = 0;  ///< of the word in the caption, from 0
  std::string word = {};
  Index left = 0, top = 0, width = 0, height = 0;  ///< in pixels
};

/// The gold regions of an image.
struct ImageRegions {
  Index width = 0, height = 0;  ///< of the image, in pixels
  std::vector<WordRegion> words = {};
};

/// Reads a file of gold regions. Each of its lines is a JSON object for one image: {"width": 48, "height":
/// 48, "words": [{"position": 1, "word": "small", "region": [LEFT, TOP, WIDTH, HEIGHT]}, …]}; other keys do
/// not matter. Throws Error that names the file, and the line if it is malformed or a region is outside the
/// image.
std::vector<ImageRegions> read_regions(const std::string& path);

}  // namespace regard::translation
