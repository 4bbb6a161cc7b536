// Attention over images.
#include "apps/images/attention_over_image.h"

#include <filesystem>

#include "apps/images/base64.h"
#include "apps/images/image_file.h"
#include "autograd/machine/files.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::images;

TEST_CASE("attention lights up the image where the weights are", "[pictures]") {
  const transformer::Image grey{.height = 4, .width = 6, .pixels = std::vector<std::uint8_t>(72, 100)};
  Attention weights{.source_tokens = {},
                    .target_tokens = {"red", "</s>"},
                    .weights = Tensor::from({2, 6}, {0, 0, 0.5f, 0, 0, 0, 1, 0, 0, 0, 0, 0}),
                    .plane = Plane{2, 3}};
  const transformer::Image lit = overlay(grey, weights, 0, 2);
  CHECK(lit.height == 8);
  CHECK(lit.width == 12);
  const auto value = [&](Index y, Index x) {
    return int{lit.pixels[static_cast<std::size_t>(3 * (y * 12 + x))]};
  };
  CHECK(value(7, 0) == 20);                                 // no weight: a fifth of the image
  CHECK(value(0, 11) == static_cast<int>(70 + 255 * 0.3));  // the largest weight
  CHECK(value(0, 11) > value(0, 8));
  CHECK(value(0, 8) > value(0, 7));  // between two positions
  const tests::TemporaryDirectory directory;
  write_attention_images(directory / "out/1-x", grey, weights, "red");
  CHECK(std::filesystem::exists(directory / "out/1-x/01-red.png"));
  CHECK(read_file(directory / "out/1-x/sheet.svg") == attention_sheet(grey, weights, "red"));
}

TEST_CASE("the sheet of a caption has the image, and the image of each word", "[pictures]") {
  const transformer::Image grey{
      .height = 64, .width = 128, .pixels = std::vector<std::uint8_t>(3 * 64 * 128, 100)};
  const Attention attention{
      {}, {"a<b", "red", "</s>"}, Tensor::from({3, 2}, {0.5f, 0.5f, 1, 0, 0, 1}), Plane{1, 2}};
  const std::string sheet = attention_sheet(grey, attention, "a<b red");
  const auto picture = [](const transformer::Image& image) {
    return images::base64(images::png_bytes(image));
  };
  std::size_t at = 0;
  for (const std::string& part :
       {std::string("a&lt;b red</text>"), picture(grey), picture(overlay(grey, attention, 0, 1)),
        std::string(">a&lt;b</text>"), picture(overlay(grey, attention, 1, 1)), std::string(">red</text>")}) {
    at = sheet.find(part, at);
    REQUIRE(at != std::string::npos);
  }
  CHECK(sheet.find("&lt;/s>") == std::string::npos);
}
