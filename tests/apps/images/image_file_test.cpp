#include "apps/images/image_file.h"

#include <fstream>
#include <iterator>

#include "tests/apps/images/png.h"
#include "tests/apps/support.h"

using namespace regard;
using namespace regard::tests;
using images::decode_image;
using images::Image;

namespace {

using Pixels = std::vector<std::uint8_t>;

Pixels pixels_of(const std::string& bytes) { return decode_image(bytes, "x.png").pixels; }

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(REGARD_FIXTURES) + "/images/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Mean of one colour over a quarter of an image.
double mean(const Image& image, Index top, Index left, std::size_t colour) {
  double sum = 0;
  for (Index y = top; y < top + image.height / 2; ++y)
    for (Index x = left; x < left + image.width / 2; ++x)
      sum += image.pixels[static_cast<std::size_t>(3 * (y * image.width + x)) + colour];
  return sum / static_cast<double>(image.height / 2 * (image.width / 2));
}

}  // namespace

TEST_CASE("PNG with red, green and blue in 8 bits", "[images]") {
  const Image image = decode_image(png({3, 2, 8, 2}, {0, 1,  2,  3,  4,  5,  6,  7,  8,  9,  //
                                                      0, 11, 12, 13, 14, 15, 16, 17, 18, 255}),
                                   "x.png");
  CHECK(image.width == 3);
  CHECK(image.height == 2);
  CHECK(image.pixels == Pixels{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 255});
}

TEST_CASE("The filters of PNG rows", "[images]") {
  // Filter 1 adds the pixel to the left, filter 2 the one above.
  CHECK(pixels_of(png({2, 2, 8, 2}, {1, 10, 20, 30, 1, 1, 1, 2, 5, 5, 5, 0, 0, 0})) ==
        Pixels{10, 20, 30, 11, 21, 31, 15, 25, 35, 11, 21, 31});
}

TEST_CASE("PNG in grey of 1, 2, 4, 8 and 16 bits", "[images]") {
  CHECK(pixels_of(png({3, 1, 1, 0}, {0, 0b101'00000})) == Pixels{255, 255, 255, 0, 0, 0, 255, 255, 255});
  CHECK(pixels_of(png({2, 1, 2, 0}, {0, 0b01'10'0000})) == Pixels{85, 85, 85, 170, 170, 170});
  CHECK(pixels_of(png({2, 1, 4, 0}, {0, 0x3c})) == Pixels{51, 51, 51, 204, 204, 204});
  CHECK(pixels_of(png({1, 1, 8, 0}, {0, 77})) == Pixels{77, 77, 77});
  CHECK(pixels_of(png({2, 1, 16, 0}, {0, 77, 77, 255, 255})) == Pixels{77, 77, 77, 255, 255, 255});
}

TEST_CASE("PNG in 16 bits keeps the colours", "[images]") {
  CHECK(pixels_of(png({1, 1, 16, 2}, {0, 10, 10, 100, 100, 200, 200})) == Pixels{10, 100, 200});
}

TEST_CASE("PNG with a palette, and with transparent entries", "[images]") {
  const std::string palette = chunk("PLTE", bytes_of({255, 0, 0, 0, 128, 0, 1, 2, 3}));
  CHECK(pixels_of(png({3, 1, 8, 3}, {0, 2, 0, 1}, palette)) == Pixels{1, 2, 3, 255, 0, 0, 0, 128, 0});
  CHECK(pixels_of(png({3, 1, 2, 3}, {0, 0b10'00'01'00}, palette)) == Pixels{1, 2, 3, 255, 0, 0, 0, 128, 0});
  // Entry 0 is transparent, entry 1 half so.
  const std::string transparent = palette + chunk("tRNS", bytes_of({0, 51}));
  CHECK(pixels_of(png({3, 1, 8, 3}, {0, 0, 1, 2}, transparent)) ==
        Pixels{255, 255, 255, 204, (128 * 51 + 255 * 204 + 127) / 255, 204, 1, 2, 3});
}

TEST_CASE("Transparent pixels are mixed with white", "[images]") {
  CHECK(pixels_of(png({3, 1, 8, 6}, {0, 9, 8, 7, 255, 9, 8, 7, 0, 100, 0, 200, 51})) ==
        Pixels{9, 8, 7, 255, 255, 255, (100 * 51 + 255 * 204 + 127) / 255, 204,
               (200 * 51 + 255 * 204 + 127) / 255});
  CHECK(pixels_of(png({2, 1, 8, 4}, {0, 5, 255, 5, 0})) == Pixels{5, 5, 5, 255, 255, 255});
}

TEST_CASE("Interlaced PNG", "[images]") {
  // 3 x 3 in Adam7: pass 1 has pixel (0, 0); pass 4 (0, 2); pass 5 the rest of row 2; pass 6 (0, 1) and (2,
  // 1); pass 7 row 1.
  CHECK(pixels_of(png({3, 3, 8, 0, 1}, {0, 1, 0, 3, 0, 7, 9, 0, 2, 0, 8, 0, 4, 5, 6})) ==
        Pixels{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9});
}

TEST_CASE("An image that is written is read again", "[images]") {
  Image image{.height = 5, .width = 7};
  for (int i = 0; i < 105; ++i) image.pixels.push_back(static_cast<std::uint8_t>(i * i));
  const std::string bytes = images::png_bytes(image);
  CHECK(decode_image(bytes, "x.png").pixels == image.pixels);
  CHECK(images::png_bytes(image) == bytes);
}

TEST_CASE("JPEG in colour, in grey, and progressive", "[images]") {
  for (const char* const name : {"colour.jpg", "progressive.jpg"}) {
    const Image image = decode_image(fixture(name), name);
    CHECK(image.width == 32);
    CHECK(image.height == 16);
    // The left half is (200, 30, 60), the right half (20, 160, 240); JPEG changes them a little.
    CHECK(mean(image, 0, 0, 0) == Approx(200).margin(4));
    CHECK(mean(image, 0, 0, 2) == Approx(60).margin(4));
    CHECK(mean(image, 8, 16, 0) == Approx(20).margin(4));
    CHECK(mean(image, 8, 16, 2) == Approx(240).margin(4));
  }
  const Image grey = decode_image(fixture("grey.jpg"), "grey.jpg");
  CHECK(mean(grey, 0, 0, 0) == Approx(90).margin(3));
  CHECK(mean(grey, 0, 0, 2) == mean(grey, 0, 0, 0));
}

TEST_CASE("Files that are no images are refused by name", "[images]") {
  const auto refused = [](const std::string& bytes, const char* reason) {
    CHECK_ERROR(decode_image(bytes, "a/b.png"), "a/b.png");
    CHECK_ERROR(decode_image(bytes, "a/b.png"), reason);
  };
  refused("", "is no image in PNG or JPEG");
  refused("a red circle", "is no image in PNG or JPEG");
  refused(png_start({0, 1, 8, 2}), "has 0 x 1 pixels");
  refused(png_start({1, 0, 8, 2}), "has 1 x 0 pixels");
  refused(png_start({1, 1, 7, 2}), "Invalid IHDR data");
  const std::string whole = png({2, 1, 8, 2}, {0, 1, 2, 3, 4, 5, 6});
  refused(whole.substr(0, 20), "damaged or incomplete");
  refused(whole.substr(0, whole.size() - 30), "damaged or incomplete");
  std::string changed = whole;
  changed[19] ^= 1;  // the width, so the CRC-32 of IHDR is wrong
  refused(changed, "damaged or incomplete");
  const std::string jpeg = fixture("colour.jpg");
  refused(jpeg.substr(0, jpeg.size() - 40), "damaged or incomplete");  // in a header
  refused(jpeg.substr(0, jpeg.size() - 10), "damaged or incomplete");  // in the pixels
  refused(jpeg.substr(0, 30), "damaged or incomplete");
  refused(fixture("cmyk.jpg"), "CMYK");
}

TEST_CASE("Damage of which the libraries only warn is an error", "[images]") {
  const auto refused = [](const std::string& bytes, const char* reason) {
    CHECK_ERROR(decode_image(bytes, "b.jpg"), reason);
    CHECK_ERROR(decode_image(bytes, "b.jpg"), "b.jpg cannot be read as an image");
  };
  const std::string jpeg = fixture("colour.jpg");
  const auto with = [&](std::size_t from_end, std::size_t count, const std::string& instead) {
    return std::string(jpeg).replace(jpeg.size() - from_end, count, instead);
  };
  refused(with(2, 0, std::string(30, '1')), "extraneous bytes before marker 0xd9");
  refused(with(12, 10, std::string(10, '\xFE')), "premature end of data segment");
  // The alpha of the palette has a wrong CRC-32.
  std::string transparency = chunk("tRNS", std::string(1, '\0'));
  transparency.back() ^= 1;
  const std::string palette = png_start({1, 1, 8, 3}) + chunk("PLTE", "abc");
  refused(palette + transparency + chunk("IDAT", stored(bytes_of({0, 0}))), "tRNS: CRC error");
}

TEST_CASE("An image that is too large is refused from its header", "[images]") {
  // Only the header and an empty IDAT: a reader that takes memory first would need 30 GB.
  CHECK_ERROR(decode_image(png_start({100000, 100000, 8, 2}) + chunk("IDAT", ""), "huge.png"),
              "huge.png has 100000 x 100000 pixels");
  CHECK_ERROR(decode_image(png_start({2147483647, 1, 8, 2}), "huge.png"),
              "huge.png has 2147483647 x 1 pixels");
  CHECK_ERROR(decode_image(png_start({65535, 65535, 16, 6}) + chunk("IDAT", ""), "huge.png"),
              "make it smaller");
}

TEST_CASE("Paths that are no images", "[images]") {
  const TemporaryDirectory directory;
  CHECK_ERROR(images::read_image(directory / "missing.png"), "missing.png: No such file");
  CHECK_ERROR(images::read_image(directory / ""), "is a directory");
  CHECK_ERROR(images::read_image("/dev/zero"), "/dev/zero is no file");
  CHECK_ERROR(images::read_image(directory.file("text.png", "text")), "text.png is no image");
  const std::string path = directory.file("a.PNG", png({1, 1, 8, 0}, {0, 3}));
  CHECK(images::read_image(path).pixels == Pixels{3, 3, 3});
  CHECK(images::names_image(path));
  CHECK_FALSE(images::names_image(directory / "missing.png"));
  CHECK_FALSE(images::names_image(directory.file("text", "")));
}
