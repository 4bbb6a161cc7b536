#include "apps/images/resize.h"

#include "tests/apps/support.h"

using namespace regard;
using images::resized;
using transformer::Image;

namespace {

/// Grey levels as an image.
Image grey(Index height, Index width, const std::vector<int>& levels) {
  Image image{.height = height, .width = width};
  for (const int level : levels) image.pixels.insert(image.pixels.end(), 3, static_cast<std::uint8_t>(level));
  return image;
}

}  // namespace

TEST_CASE("An image of the right size stays as it is", "[resize]") {
  const Image image = grey(2, 2, {1, 2, 3, 4});
  CHECK(resized(image, 2, 2).pixels == image.pixels);
}

TEST_CASE("An image that grows is interpolated", "[resize]") {
  // Centres of the new pixels in old ones: 0.25, 0.75, 1.25, 1.75; the old centres are at 0.5 and 1.5.
  CHECK(resized(grey(1, 2, {0, 100}), 1, 4).pixels == grey(1, 4, {0, 25, 75, 100}).pixels);
  CHECK(resized(grey(2, 1, {0, 100}), 4, 1).pixels == grey(4, 1, {0, 25, 75, 100}).pixels);
  CHECK(resized(grey(1, 1, {7}), 3, 2).pixels == grey(3, 2, {7, 7, 7, 7, 7, 7}).pixels);
}

TEST_CASE("An image that shrinks uses every pixel", "[resize]") {
  // The centre of the new pixel 0 is at 1, so the old centres 0.5, 1.5, 2.5 have the weights 3/7, 3/7, 1/7.
  CHECK(resized(grey(1, 4, {70, 140, 210, 0}), 1, 2).pixels == grey(1, 2, {120, 110}).pixels);
  const Image flat = grey(64, 48, std::vector<int>(64 * 48, 133));
  CHECK(resized(flat, 5, 7).pixels == grey(5, 7, std::vector<int>(35, 133)).pixels);
}

TEST_CASE("The colours stay apart", "[resize]") {
  const Image image{.height = 1, .width = 1, .pixels = {1, 2, 3}};
  CHECK(resized(image, 1, 2).pixels == std::vector<std::uint8_t>{1, 2, 3, 1, 2, 3});
  CHECK_ERROR(resized(image, 0, 2), "not possible");
}
