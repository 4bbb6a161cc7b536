#pragma once

#include <string>

#include "apps/translation/translator/translator.h"

namespace regard::translation {

/// Draws the attention of a translation over words as an SVG image, as in Bahdanau et al. 2015, figure 3: a
/// column for each source token, a row for each target token, and a square for each pair. The greater the
/// weight, the darker the square.
std::string attention_svg(const Translator::Attention& attention);

}  // namespace regard::translation
