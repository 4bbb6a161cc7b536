// Pictures of attention weights: for the terminal, as SVG, and over images.
#include "apps/pictures/heat_map.h"

#include <filesystem>
#include <string>

#include "apps/images/base64.h"
#include "apps/images/image_file.h"
#include "apps/pictures/attention_over_image.h"
#include "autograd/machine/files.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::pictures;

TEST_CASE("a heat map is a table of shades", "[pictures]") {
  const Attention attention{{"a", "longest", "étudiants", "</s>"},
                            {"x", "학생"},
                            Tensor::from({2, 4}, {0.0f, 0.19f, 0.2f, 0.59f, 0.6f, 0.79f, 0.8f, 1.0f})};
  CHECK(heat_map(attention) ==
        "a      longes étudia </s>   \n"
        "              ░░░░░░ ▒▒▒▒▒▒ x\n"
        "▓▓▓▓▓▓ ▓▓▓▓▓▓ ██████ ██████ 학생\n");
}

TEST_CASE("wide and combining characters do not shift a heat map", "[pictures]") {
  const Attention attention{{"東京", "東京都庁", "e\u0301tudiant", "학생"},
                            {"私", "x"},
                            Tensor::from({2, 4}, {1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 1.0f})};
  CHECK(heat_map(attention) ==
        "東京   東京都 e\u0301tudia 학생   \n"
        "██████                      私\n"
        "       ██████        ██████ x\n");
  // The label needs two columns. A wide character that does not fit whole is left out.
  CHECK(heat_map(attention, 4 * 7 + 2) == heat_map(attention));
  CHECK(heat_map(attention, 4 * 6 + 2) ==
        "東京  東京  e\u0301tudi 학생  \n"
        "█████                   私\n"
        "      █████       █████ x\n");
}

TEST_CASE("a picture of attention has room for wide characters", "[pictures]") {
  const auto drawn = [](const std::string& token) {
    const std::string svg = heat_map_svg({{token}, {token}, Tensor::from({1, 1}, {1.0f})});
    return svg.substr(0, svg.find("<text"));
  };
  CHECK(drawn("東京") == drawn("abcd"));
  CHECK(drawn("e\u0301") == drawn("e"));
  CHECK(drawn("ab") != drawn("abcd"));
}

TEST_CASE("a heat map is at most as wide as asked", "[pictures]") {
  const Attention attention{
      {"first", "second", "third", "fourth", "</s>"},
      {"x", "longest"},
      Tensor::from({2, 5}, {1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.5f, 0.0f, 0.0f, 0.5f})};
  CHECK(heat_map(attention, 5 * 7 + 7) == heat_map(attention));
  // Narrower columns first; "longest" needs 7 characters.
  CHECK(heat_map(attention, 5 * 7 + 6) ==
        "first secon third fourt </s>  \n"
        "█████                         x\n"
        "      ▒▒▒▒▒             ▒▒▒▒▒ longest\n");
  CHECK(heat_map(attention, 5 * 4 + 7) ==
        "fir sec thi fou </s \n"
        "███                 x\n"
        "    ▒▒▒         ▒▒▒ longest\n");
  // Then as few tables as possible, with the widest columns that make no more of them.
  CHECK(heat_map(attention, 5 * 4 + 6) ==
        "first secon third \n"
        "█████             x\n"
        "      ▒▒▒▒▒       longest\n"
        "\n"
        "fourt </s>  \n"
        "            x\n"
        "      ▒▒▒▒▒ longest\n");
  CHECK_FALSE(heat_map(attention, 1).empty());  // one column per table
}

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
