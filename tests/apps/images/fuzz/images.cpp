// Images: what is read has its pixels, and a PNG made of them has the same ones.
#include "apps/images/image_file.h"
#include "tests/fuzz/fuzz.h"

using namespace regard;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::allow_errors([&] {
    const images::Image image = images::decode_image(fuzz::text_of(data, size), "image");
    fuzz::require(image.height > 0 && image.width > 0 && image.height * image.width <= images::most_pixels);
    fuzz::require(image.pixels.size() == static_cast<std::size_t>(3 * image.height * image.width));
    constexpr Index small = 1 << 16;  // so that an input takes milliseconds
    if (image.height * image.width > small) return;
    fuzz::require(images::decode_image(images::png_bytes(image), "its copy").pixels == image.pixels);
  });
  return 0;
}
