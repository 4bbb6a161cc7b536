#include "apps/images/canvas.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "autograd/error.h"

namespace regard::images {
namespace {

constexpr Index glyph_height = 9, glyph_width = 5;

/// Some glyphs side by side, with a column between two of them. # is ink.
struct Strip {
  std::string_view characters;
  std::array<std::string_view, glyph_height> rows;
};

// clang-format off
constexpr std::array<Strip, 7> strips{{
    {"abcdefghijklm",
     {"      #               #         ##        #       #      #  #      ##        ",
      "      #               #        #  #       #                 #       #        ",
      " ###  # ##   ###   ## #  ###   #     #### # ##   ##     ##  #  #    #   ## # ",
      "    # ##  # #   # #  ## #   # ###   #   # ##  #   #      #  # #     #   # # #",
      " #### #   # #     #   # #####  #    #   # #   #   #      #  ##      #   # # #",
      "#   # #   # #   # #   # #      #    #   # #   #   #      #  # #     #   # # #",
      " #### ####   ###   ####  ###   #     #### #   #  ###     #  #  #   ###  # # #",
      "                                        #             #  #                   ",
      "                                     ###               ##                    "}},
    {"nopqrstuvwxyz",
     {"                                     #                                       ",
      "                                     #                                       ",
      "# ##   ###  ####   #### # ##   #### ###   #   # #   # #   # #   # #   # #####",
      "##  # #   # #   # #   # ##  # #      #    #   # #   # # # #  # #  #   #    # ",
      "#   # #   # #   # #   # #      ###   #    #   # #   # # # #   #   #   #   #  ",
      "#   # #   # #   # #   # #         #  #  # #  ##  # #  # # #  # #  #   #  #   ",
      "#   #  ###  ####   #### #     ####    ##   ## #   #    # #  #   #  #### #####",
      "            #         #                                               #      ",
      "            #         #                                            ###       "}},
    {"ABCDEFGHIJKLM",
     {" ###  ####   ###  ####  ##### #####  ###  #   #  ###    ### #   # #     #   #",
      "#   # #   # #   # #   # #     #     #   # #   #   #      #  #  #  #     ## ##",
      "#   # #   # #     #   # #     #     #     #   #   #      #  # #   #     # # #",
      "##### ####  #     #   # ####  ####  # ### #####   #      #  ##    #     # # #",
      "#   # #   # #     #   # #     #     #   # #   #   #      #  # #   #     #   #",
      "#   # #   # #   # #   # #     #     #   # #   #   #   #  #  #  #  #     #   #",
      "#   # ####   ###  ####  ##### #      #### #   #  ###   ##   #   # ##### #   #",
      "                                                                             ",
      "                                                                             "}},
    {"NOPQRSTUVWXYZ",
     {"#   #  ###  ####   ###  ####   #### ##### #   # #   # #   # #   # #   # #####",
      "##  # #   # #   # #   # #   # #       #   #   # #   # #   # #   # #   #     #",
      "# # # #   # #   # #   # #   # #       #   #   # #   # #   #  # #   # #     # ",
      "# # # #   # ####  #   # ####   ###    #   #   # #   # # # #   #     #     #  ",
      "#  ## #   # #     # # # # #       #   #   #   # #   # # # #  # #    #    #   ",
      "#   # #   # #     #  #  #  #      #   #   #   #  # #  ## ## #   #   #   #    ",
      "#   #  ###  #      ## # #   # ####    #    ###    #   #   # #   #   #   #####",
      "                                                                             ",
      "                                                                             "}},
    {"0123456789 .,",
     {" ###    #    ###   ###     #  #####  ###  #####  ###   ###                   ",
      "#   #  ##   #   # #   #   ##  #     #         # #   # #   #                  ",
      "#  ##   #       #     #  # #  ####  #        #  #   # #   #                  ",
      "# # #   #      #    ##  #  #      # ####     #   ###   ####                  ",
      "##  #   #     #       # #####     # #   #   #   #   #     #                  ",
      "#   #   #    #    #   #    #  #   # #   #   #   #   #     #         #     #  ",
      " ###   ###  #####  ###     #   ###   ###    #    ###   ###          #     #  ",
      "                                                                         #   ",
      "                                                                             "}},
    {":;!?'\"-_+=/|*",
     {"              #    ###    #    # #                              #   #        ",
      "              #   #   #   #    # #                              #   #   # # #",
      "  #     #     #       #                           #            #    #    ### ",
      "              #     ##              #####         #   #####   #     #   #####",
      "              #     #                           #####        #      #    ### ",
      "  #     #                                         #   ##### #       #   # # #",
      "        #     #     #                             #         #       #        ",
      "       #                                  #####                     #        ",
      "                                                                             "}},
    {"()[]<>@#%&\\",
     {"   #   #     ###   ###               ###        ##  #  ##   #    ",
      "  #     #    #       #     #   #    #   #  # #  ##  # #  #  #    ",
      " #       #   #       #    #     #   # ### #####    #  # #    #   ",
      " #       #   #       #   #       #  # # #  # #    #    #      #  ",
      " #       #   #       #    #     #   # ### #####  #    # # #    # ",
      "  #     #    #       #     #   #    #      # #  #  ## #  #      #",
      "   #   #     ###   ###               ###        #  ##  ## #     #",
      "                                                                 ",
      "                                                                 "}},
}};
// clang-format on

/// True if the glyph of a character has ink at this place. A character without a glyph is a box.
bool has_ink(char character, Index row, Index column) {
  for (const Strip& strip : strips)
    if (const std::size_t place = strip.characters.find(character); place != std::string_view::npos)
      return strip.rows[to_size(row)][place * (glyph_width + 1) + to_size(column)] == '#';
  const bool edge = row == 0 || row == 6 || column == 0 || column == glyph_width - 1;
  return row < 7 && edge;
}

}  // namespace

transformer::Image filled(Index height, Index width, Colour colour) {
  transformer::Image image{.height = height, .width = width};
  image.pixels.reserve(to_size(3 * height * width));
  for (Index i = 0; i < height * width; ++i)
    image.pixels.insert(image.pixels.end(), colour.begin(), colour.end());
  return image;
}

void paste(transformer::Image& onto, const transformer::Image& part, Index top, Index left) {
  for (Index y = 0; y < part.height; ++y)
    std::copy_n(part.pixels.begin() + 3 * y * part.width, 3 * part.width,
                onto.pixels.begin() + 3 * ((top + y) * onto.width + left));
}

transformer::Image magnified(const transformer::Image& image, Index factor) {
  transformer::Image result{.height = factor * image.height, .width = factor * image.width};
  result.pixels.reserve(to_size(3 * result.height * result.width));
  for (Index y = 0; y < result.height; ++y)
    for (Index x = 0; x < result.width; ++x) {
      const auto pixel = image.pixels.begin() + 3 * (y / factor * image.width + x / factor);
      result.pixels.insert(result.pixels.end(), pixel, pixel + 3);
    }
  return result;
}

void write_text(transformer::Image& image, std::string_view utf8, Index top, Index left, Colour colour) {
  for (const char character : utf8) {
    if ((static_cast<unsigned char>(character) & 0xC0u) == 0x80u) continue;  // a later byte of a character
    for (Index row = 0; row < glyph_height; ++row)
      for (Index column = 0; column < glyph_width; ++column)
        if (has_ink(character, row, column) && top + row < image.height && left + column < image.width)
          set_pixel(image, top + row, left + column, colour);
    left += text_width;
  }
}

}  // namespace regard::images
