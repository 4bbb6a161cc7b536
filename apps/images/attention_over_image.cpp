#include "apps/images/attention_over_image.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "apps/images/base64.h"
#include "apps/images/image_file.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/text/xml.h"
#include "autograd/machine/error.h"

namespace regard::images {
namespace {

using transformer::Image;

/// Small images are shown larger.
Index factor_for(const Image& image) {
  constexpr Index wanted = 128;
  return std::max<Index>(1, ceil_divide(wanted, image.width));
}

/// The two positions of an axis between whose centres a pixel lies, and the share of the second one.
struct Between {
  Index first, second;
  double share;
};

Between between(Index pixel, Index pixels, Index positions) {
  const double place =
      (static_cast<double>(pixel) + 0.5) * static_cast<double>(positions) / static_cast<double>(pixels) - 0.5;
  const double inside = std::clamp(place, 0.0, static_cast<double>(positions - 1));
  const Index first = static_cast<Index>(inside);
  return {first, std::min(first + 1, positions - 1), inside - static_cast<double>(first)};
}

/// The words of a caption without </s>.
std::span<const std::string> words_of(const Attention& attention) {
  return std::span(attention.target_tokens).first(attention.target_tokens.size() - 1);
}

/// The image `factor` times as large: each pixel becomes a square.
Image magnified(const Image& image, Index factor) {
  Image result{.height = factor * image.height, .width = factor * image.width};
  result.pixels.reserve(to_size(3 * result.height * result.width));
  for (Index y = 0; y < result.height; ++y)
    for (Index x = 0; x < result.width; ++x) {
      const auto pixel = image.pixels.begin() + 3 * (y / factor * image.width + x / factor);
      result.pixels.insert(result.pixels.end(), pixel, pixel + 3);
    }
  return result;
}

/// A word as a part of a file name.
std::string in_file_name(const std::string& word) {
  constexpr std::size_t longest = 30;
  std::string name;
  for (const char c : word.substr(0, longest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  return name;
}

}  // namespace

Image overlay(const Image& image, const Attention& attention, Index word, Index factor) {
  const Plane plane = attention.plane.value();
  const Real* const weights = attention.weights.data() + word * plane.height * plane.width;
  const double largest =
      std::max(1e-9, static_cast<double>(*std::max_element(weights, weights + plane.height * plane.width)));
  const auto weight = [&](Index y, Index x) {
    return static_cast<double>(weights[y * plane.width + x]) / largest;
  };
  Image result = magnified(image, factor);
  for (Index y = 0; y < result.height; ++y) {
    const Between rows = between(y, result.height, plane.height);
    for (Index x = 0; x < result.width; ++x) {
      const Between columns = between(x, result.width, plane.width);
      const auto in_row = [&](Index row) {
        return std::lerp(weight(row, columns.first), weight(row, columns.second), columns.share);
      };
      const double light = std::lerp(in_row(rows.first), in_row(rows.second), rows.share);
      for (Index colour = 0; colour < 3; ++colour) {
        std::uint8_t& value = result.pixels[to_size((y * result.width + x) * 3 + colour)];
        // From a fifth of the image to seven tenths of it and three tenths of white.
        value = static_cast<std::uint8_t>(value * (0.2 + 0.5 * light) + 255 * 0.3 * light);
      }
    }
  }
  return result;
}

std::string attention_sheet(const Image& image, const Attention& attention, const std::string& caption) {
  constexpr Index most_columns = 8, gap = 6, text_height = 20;  // pixels
  const std::span<const std::string> words = words_of(attention);
  const Index factor = factor_for(image), tiles = to_index(words.size()) + 1;
  const Index width = factor * image.width, height = factor * image.height;
  const Index columns = std::min(tiles, most_columns), rows = ceil_divide(tiles, columns);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"13\" role=\"img\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"{}\" y=\"16\">{}</text>\n",
      columns * (width + gap) + gap, text_height + rows * (height + text_height) + gap, gap,
      translation::xml_text(translation::printable(caption, 1000)));
  for (Index tile = 0; tile < tiles; ++tile) {
    const Index x = gap + tile % columns * (width + gap),
                y = text_height + gap + tile / columns * (height + text_height);
    svg += fmt::format(
        "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" href=\"data:image/png;base64,{}\"/>\n", x, y,
        width, height,
        base64(
            png_bytes(tile == 0 ? magnified(image, factor) : overlay(image, attention, tile - 1, factor))));
    if (tile > 0)
      svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x, y + height + 14,
                         translation::xml_text(translation::printable(words[to_size(tile - 1)])));
  }
  return svg + "</svg>\n";
}

void write_attention_images(const std::string& directory, const Image& image, const Attention& attention,
                            const std::string& caption) {
  if (!attention.plane) fail("the attention of this model is not over an image");
  translation::make_directories(directory);
  const std::span<const std::string> words = words_of(attention);
  for (std::size_t i = 0; i < words.size(); ++i)
    translation::write_file(fmt::format("{}/{:02}-{}.png", directory, i + 1, in_file_name(words[i])),
                            png_bytes(overlay(image, attention, to_index(i), factor_for(image))));
  translation::write_file(directory + "/sheet.svg", attention_sheet(image, attention, caption));
}

}  // namespace regard::images
