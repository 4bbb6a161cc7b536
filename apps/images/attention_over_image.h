#pragma once

#include <string>

#include "apps/translation/translator/translator.h"
#include "autograd/machine/real.h"
#include "transformer/captions/image.h"

namespace regard::images {

using Attention = translation::Translator::Attention;

/// The image `factor` times as large, with row `word` of attention over a plane laid over it: the more
/// weight, the brighter. The largest weight of the row is the brightest. Between the centres of the
/// positions, the weights are interpolated linearly.
transformer::Image overlay(const transformer::Image& image, const Attention& attention, Index word,
                           Index factor);

/// All words on one sheet, as an SVG image: the caption, the image itself, and for each word the image with
/// its attention.
std::string attention_sheet(const transformer::Image& image, const Attention& attention,
                            const std::string& caption);

/// Writes into a new directory the images of all words, such as 03-red.png for the third word, and sheet.svg.
/// Throws Error if the directory cannot be made or a file cannot be written.
void write_attention_images(const std::string& directory, const transformer::Image& image,
                            const Attention& attention, const std::string& caption);

}  // namespace regard::images
