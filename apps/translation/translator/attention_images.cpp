#include "apps/translation/translator/attention_images.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "apps/images/canvas.h"
#include "apps/images/image_file.h"
#include "apps/translation/files/files.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

using transformer::Image;

/// Small images are shown larger.
Index factor_for(const Image& image) {
  constexpr Index wanted = 128;
  return std::max<Index>(1, (wanted + image.width - 1) / image.width);
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
std::span<const std::string> words_of(const Translator::Attention& attention) {
  return std::span(attention.target_tokens).first(attention.target_tokens.size() - 1);
}

/// Cuts a text into lines of at most `width` characters, between words where possible.
std::vector<std::string> wrapped(std::string text, std::size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    std::size_t end = text.rfind(' ', width);
    const bool at_blank = end != std::string::npos && end > 0;
    if (!at_blank) end = width;
    lines.push_back(text.substr(0, end));
    text.erase(0, at_blank ? end + 1 : end);
  }
  lines.push_back(std::move(text));
  return lines;
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

Image overlay(const Image& image, const Translator::Attention& attention, Index word, Index factor) {
  const Plane plane = attention.plane.value();
  const Real* const weights = attention.weights.data() + word * plane.height * plane.width;
  const double largest =
      std::max(1e-9, static_cast<double>(*std::max_element(weights, weights + plane.height * plane.width)));
  const auto weight = [&](Index y, Index x) {
    return static_cast<double>(weights[y * plane.width + x]) / largest;
  };
  Image result = images::magnified(image, factor);
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

Image attention_sheet(const Image& image, const Translator::Attention& attention,
                      const std::string& caption) {
  constexpr images::Colour white{255, 255, 255}, black{0, 0, 0};
  constexpr Index most_columns = 8, gap = 6;
  const std::span<const std::string> words = words_of(attention);
  const Index factor = factor_for(image), tiles = to_index(words.size()) + 1;
  const Index columns = std::min(tiles, most_columns), rows = (tiles + columns - 1) / columns;
  const Index tile_height = factor * image.height + images::text_height + gap,
              tile_width = factor * image.width + gap;
  const Index width = columns * tile_width + gap;
  const std::vector<std::string> lines =
      wrapped(caption, to_size(std::max<Index>(1, (width - 2 * gap) / images::text_width)));
  const Index top = gap + to_index(lines.size()) * images::text_height + gap;
  Image sheet = images::filled(top + rows * tile_height, width, white);
  for (std::size_t i = 0; i < lines.size(); ++i)
    images::write_text(sheet, lines[i], gap + to_index(i) * images::text_height, gap, black);
  for (Index tile = 0; tile < tiles; ++tile) {
    const Index y = top + tile / columns * tile_height, x = gap + tile % columns * tile_width;
    images::paste(sheet,
                  tile == 0 ? images::magnified(image, factor) : overlay(image, attention, tile - 1, factor),
                  y, x);
    if (tile > 0)
      images::write_text(sheet, words[to_size(tile - 1)], y + factor * image.height + 1, x, black);
  }
  return sheet;
}

void write_attention_images(const std::string& directory, const Image& image,
                            const Translator::Attention& attention, const std::string& caption) {
  if (!attention.plane) fail("the attention of this model is not over an image");
  make_directories(directory);
  const std::span<const std::string> words = words_of(attention);
  for (std::size_t i = 0; i < words.size(); ++i)
    write_file(fmt::format("{}/{:02}-{}.png", directory, i + 1, in_file_name(words[i])),
               images::png_bytes(overlay(image, attention, to_index(i), factor_for(image))));
  write_file(directory + "/sheet.png", images::png_bytes(attention_sheet(image, attention, caption)));
}

}  // namespace regard::translation
