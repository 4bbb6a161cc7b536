#pragma once

#include "autograd/real.h"

namespace regard::images {

inline constexpr Index glyph_height = 9, glyph_width = 5;

/// True if the glyph of a character has ink at this place. A character without a glyph is a box.
bool has_ink(char character, Index row, Index column);

}  // namespace regard::images
