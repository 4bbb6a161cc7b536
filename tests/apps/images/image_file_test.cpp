// Files of images, which are made by hand where they are PNG, and images of another size.
#include "apps/images/image_file.h"

#include <fstream>
#include <iterator>
#include <zlib.h>

#include "apps/images/resize.h"
#include "tests/apps/support.h"

using namespace regard;
using namespace regard::tests;
using images::decode_image;
using images::Image;
using images::resized;
using transformer::Image;

namespace {

// PNG files made by hand from the specification (ISO/IEC 15948), without libpng: signature, chunks with their
// CRC-32, and a zlib stream of stored blocks.

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 255);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string covered = type + data;
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(covered.data()), covered.size());
  return big_endian(static_cast<std::uint32_t>(data.size())) + covered +
         big_endian(static_cast<std::uint32_t>(sum));
}

/// At most 65,535 bytes.
std::string stored(const std::string& data) {
  const auto size = static_cast<std::uint16_t>(data.size());
  std::string bytes("\x78\x01\x01", 3);
  for (const unsigned half : {unsigned{size}, ~unsigned{size}}) {
    bytes += static_cast<char>(half & 255);
    bytes += static_cast<char>(half >> 8 & 255);
  }
  const auto sum = adler32_z(1, reinterpret_cast<const Bytef*>(data.data()), data.size());
  return bytes + data + big_endian(static_cast<std::uint32_t>(sum));
}

struct PngHeader {
  std::uint32_t width, height;
  int bits, colour_type;  ///< 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha
  int interlace = 0;
};

std::string png_start(const PngHeader& header) {
  std::string data = big_endian(header.width) + big_endian(header.height);
  for (const int byte : {header.bits, header.colour_type, 0, 0, header.interlace})
    data += static_cast<char>(byte);
  return std::string("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", data);
}

std::string bytes_of(const std::vector<int>& values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

/// `rows` are the rows of the image with the byte of their filter; `before` are chunks between IHDR and IDAT.
std::string png(const PngHeader& header, const std::vector<int>& rows, const std::string& before = "") {
  return png_start(header) + before + chunk("IDAT", stored(bytes_of(rows))) + chunk("IEND", "");
}

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
