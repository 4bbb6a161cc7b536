#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "apps/translation/translator/translator.h"

// Heat maps of weights[target, source]: a row for each target token, a column for each source token. The
// greater a weight, the darker its place.

namespace regard::pictures {

using Attention = translation::Translator::Attention;

/// A table of shades for a terminal. If it is wider than `width` characters, its columns are narrower; if
/// that is not enough, it becomes several tables, one below the other, each with some of the columns.
std::string heat_map(const Attention& attention, std::size_t width = std::numeric_limits<std::size_t>::max());

/// An SVG image, as in Bahdanau et al. 2015, figure 3.
std::string heat_map_svg(const Attention& attention);

/// Labels and squares of a map without a frame, for a larger picture. Sizes are in pixels. The squares have
/// the class .colour-0, so that a page can choose their colour.
struct Drawing {
  std::string svg;
  double width, height;
};
Drawing draw(const Attention& attention);  ///< draws the weights and their tokens

}  // namespace regard::pictures
