#pragma once

#include <string>

#include "apps/translation/translator/translator.h"

namespace regard::translation {

/// Draws weights[target, source] as a table of shades for a terminal, one row per target token.
std::string heat_map(const Translator::Attention& attention);

}  // namespace regard::translation
